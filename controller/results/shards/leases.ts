import { newSecret } from '../../../shared/ids.ts';
import type { Log } from '../../../shared/log.ts';
import type { Clock, Timer } from '../../../shared/time.ts';
import { VERSION } from '../../../shared/version.ts';
import type { Peers } from '../../work/peers.ts';
import { PeriodicTask } from '../../work/periodic-task.ts';
import { planLeases, type Lease } from './lease-rules.ts';
import type { LeaseStore } from './lease-store.ts';
import { LeaseTracker } from './lease-tracker.ts';

const RENEW_INTERVAL_MS = 1000;
/** Interval when this is the only controller. */
const ONLY_CONTROLLER_RENEW_INTERVAL_MS = 3000;
/** Other controllers take over our shards when a renewal is this late. */
const MAX_DELAY_MS = 3000;
/** Less than that: when a renewal is this late, a controller no longer trusts its state. */
const TRUSTED_DELAY_MS = 2500;
/** After a longer gap between polls, as without the database, the others have the full time again. */
const MAX_POLL_GAP_MS = 2500;
/** Among 256 shards, one after another would delay the next renewal. */
const MAX_CONCURRENT_ACQUISITIONS = 16;
/** Poll interval when this is the only controller. A new controller notifies it repeatedly. */
const ONLY_CONTROLLER_POLL_INTERVAL_MS = 20_000;

export interface LeaseDeps {
  clock: Clock;
  log: Log;
  store: Pick<LeaseStore, 'list' | 'announce' | 'acquire' | 'renew' | 'release' | 'leave' | 'removeDead'>;
  shardCount: number;
  /** Stable across restarts, so that a killed controller gets its own shards back at once. */
  holder: string;
  acquired(shard: number): void;
  released(shard: number): Promise<void>;
  peers: Pick<Peers, 'isOnlyController' | 'update' | 'readClock'>;
  /** Whether the bus is unreachable. Called on each poll while there are peers. */
  isCutOff(): boolean;
  /** Notifies the owners of these shards that they hold more than their share, and we less than ours. */
  requestShards(shards: number[]): void;
}

/** Maintains this controller's share of the shards. */
export class Leases {
  readonly #deps: LeaseDeps;
  readonly #life = newSecret().slice(0, 16);
  readonly #mine = new Set<number>();
  readonly #barred = new Set<number>();
  readonly #renewals: PeriodicTask;
  readonly #tracker: LeaseTracker;
  /** Fires when an expired lease counts as dead. */
  #due: Timer | null = null;
  #isStarted = false;
  #hasShare = false;
  /** When the renewal after the latest successful one is due, monotonic ms. */
  #renewalDueAt = -Infinity;
  /** When the latest poll of all leases began, monotonic ms. */
  #polledAt = -Infinity;

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
    this.#renewals = new PeriodicTask({
      clock: deps.clock, intervalMs: RENEW_INTERVAL_MS, idleIntervalMs: ONLY_CONTROLLER_RENEW_INTERVAL_MS,
      task: async () => {
        // What it told the others: one that has just become the only controller renews soon once more.
        const intervalMs = await this.#renew();
        return intervalMs > RENEW_INTERVAL_MS && deps.peers.isOnlyController ? 'idle' : false;
      },
      onError: (error) => {
        deps.peers.update(false);
        deps.log.warn({ err: error }, 'could not renew leases');
      },
    });
    this.#tracker = new LeaseTracker({
      holder: deps.holder, maxDelayMs: MAX_DELAY_MS, maxPollGapMs: MAX_POLL_GAP_MS,
    });
  }

  start(): void {
    this.#isStarted = true;
    this.#renewals.start();
    this.#renewals.trigger();
  }

  /** Another controller has joined and waits for its share. */
  controllerJoined(): void {
    this.#polledAt = -Infinity;
    this.#renewals.trigger();
  }

  /**
   * Whether we hold a shard, as far as we know; `released` is called when we no longer do. A lease with
   * failed renewals still counts: giving up its shard would leave it without an owner once renewals succeed
   * again.
   */
  holds(shard: number): boolean {
    return this.#mine.has(shard);
  }

  /** The shards that we hold, as far as we know. */
  get held(): ReadonlySet<number> {
    return this.#mine;
  }

  /** False if our leases may have expired, so that another controller may own the shards. */
  get areCurrent(): boolean {
    return this.#deps.clock.monotonic() - this.#renewalDueAt < TRUSTED_DELAY_MS;
  }

  /** True once this controller has had its share, which the others take some polls to release. */
  get hasHadShare(): boolean {
    return this.#hasShare;
  }

  /** Gives up a shard whose journal needs a later version, until this process ends. */
  async surrender(shard: number): Promise<void> {
    this.#barred.add(shard);
    await this.#lose(shard);
    await this.#deps.store.release([shard], this.#deps.holder);
  }

  /** Releases everything. Call it when nothing more will be written. */
  async stop(): Promise<void> {
    if (!this.#isStarted) return;
    this.#hasShare = false;
    await this.#renewals.stop();
    this.#due?.cancel();
    const mine = [...this.#mine];
    this.#mine.clear();
    await this.#deps.store.release(mine, this.#deps.holder);
    await this.#deps.store.leave(this.#deps.holder);
  }

  /** Returns the time until the next renewal, ms. */
  async #renew(): Promise<number> {
    const { store, holder, clock, peers } = this.#deps;
    const startedAt = clock.monotonic();
    peers.readClock(clock);
    const isCutOff = !peers.isOnlyController && this.#deps.isCutOff();
    const intervalMs = peers.isOnlyController ? ONLY_CONTROLLER_RENEW_INTERVAL_MS : RENEW_INTERVAL_MS;
    const renewal = {
      renewed_at: clock.now(), renew_interval_ms: intervalMs, is_cut_off: isCutOff, life: this.#life,
      version: VERSION,
    };
    if (await store.renew([...this.#mine], holder, renewal)) {
      if (peers.isOnlyController && startedAt - this.#polledAt < ONLY_CONTROLLER_POLL_INTERVAL_MS) {
        this.#renewalDueAt = startedAt + intervalMs;
        return intervalMs;
      }
    } else await store.announce(holder, renewal);
    this.#polledAt = startedAt;
    const { living, dead, firstDueMs } = this.#tracker.classify(await store.list(), startedAt);
    const held = new Set(living.filter((lease) => lease.holder === holder).map(({ shard }) => shard));
    for (const shard of this.#mine) if (!held.has(shard)) await this.#lose(shard);
    this.#renewalDueAt = startedAt + intervalMs;
    this.#due?.cancel();
    if (firstDueMs < RENEW_INTERVAL_MS) {
      const waitMs = Math.max(0, startedAt + firstDueMs - clock.monotonic());
      this.#due = clock.setTimer(waitMs, () => this.#renewals.trigger());
    }
    await this.#share(living, dead, isCutOff);
    for (const lease of dead) if (lease.shard === null) await store.removeDead(lease);
    return intervalMs;
  }

  /** Acquires and releases shards to reach an even share. */
  async #share(living: Lease[], dead: Lease[], isCutOff: boolean): Promise<void> {
    const { store, holder, shardCount, peers, requestShards } = this.#deps;
    const plan = planLeases({ leases: living, holder, shardCount, isCutOff, barred: this.#barred });
    const others = living.filter((lease) => lease.holder !== holder);
    // One that has died may still hold shards, which are only taken over while polls are frequent.
    peers.update(plan.alive === 1 && others.length === 0);
    let isComplete = plan.awaited === 0;
    const kept = living.flatMap(({ shard, holder: by }) =>
      (by !== holder || shard === null || this.#mine.has(shard) || plan.release.includes(shard)
        ? [] : shard));
    if ((await this.#acquire(kept, kept.length, [])) < kept.length) isComplete = false;
    const wanted = Math.min(plan.room, plan.free.length);
    const room = wanted - (await this.#acquire(plan.free, wanted, [...dead, ...living]));
    this.#hasShare ||= isComplete && room <= 0;
    if (plan.awaited > 0) requestShards(others.flatMap(({ shard }) => shard ?? []));
    for (const shard of plan.release) {
      await this.#lose(shard);
      await store.release([shard], holder);
    }
  }

  /**
   * Takes up to `wanted` of these shards from the owners of these leases, or as free or already ours. Another
   * controller may be taking the same ones; on a conflict, the next are tried. Returns how many are ours.
   */
  async #acquire(shards: readonly number[], wanted: number, leases: readonly Lease[]): Promise<number> {
    const { store, holder, acquired, clock } = this.#deps;
    let count = 0;
    for (let at = 0; at < shards.length && count < wanted;) {
      const some = shards.slice(at, at + Math.min(wanted - count, MAX_CONCURRENT_ACQUISITIONS));
      at += some.length;
      await Promise.all(some.map(async (shard) => {
        const from = leases.find((lease) => lease.shard === shard) ?? null;
        if (!(await store.acquire(shard, holder, from, clock.now()))) return;
        count += 1;
        this.#mine.add(shard);
        acquired(shard);
      }));
    }
    return count;
  }

  async #lose(shard: number): Promise<void> {
    if (this.#mine.delete(shard)) await this.#deps.released(shard);
  }
}
