import { newSecret } from '../../../shared/ids.ts';
import type { Log } from '../../../shared/log.ts';
import type { Clock, Timer } from '../../../shared/time.ts';
import { VERSION } from '../../../shared/version.ts';
import type { Peers } from '../../work/peers.ts';
import { PeriodicTask } from '../../work/periodic-task.ts';
import { planLeases, type Lease } from './lease-rules.ts';
import type { LeaseStore } from './lease-store.ts';
import { LeaseTracker } from './lease-tracker.ts';

const RENEW_INTERVAL_MS = 2000;
/** Interval when this is the only controller. */
const ONLY_CONTROLLER_RENEW_INTERVAL_MS = 3000;
/** Other controllers take over our shards after this long without a renewal. */
const DEAD_AFTER_MS = 5000;
/**
 * Less than the takeover delay: after this long without a renewal, a controller no longer trusts its state.
 */
const TRUSTED_MS = 4500;
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
  /** When the latest successful renewal began, monotonic ms. */
  #renewedAt = -Infinity;
  /** When the latest poll of all leases began, monotonic ms. */
  #polledAt = -Infinity;

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
    this.#renewals = new PeriodicTask({
      clock: deps.clock, intervalMs: RENEW_INTERVAL_MS, idleIntervalMs: ONLY_CONTROLLER_RENEW_INTERVAL_MS,
      task: async () => {
        await this.#renew();
        return deps.peers.isOnlyController ? 'idle' : false;
      },
      onError: (error) => {
        deps.peers.update(false);
        deps.log.warn({ err: error }, 'could not renew leases');
      },
    });
    this.#tracker = new LeaseTracker({
      holder: deps.holder, deadAfterMs: DEAD_AFTER_MS, maxPollGapMs: 2 * RENEW_INTERVAL_MS,
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
    return this.#deps.clock.monotonic() - this.#renewedAt < TRUSTED_MS;
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

  async #renew(): Promise<void> {
    const { store, holder, clock, peers } = this.#deps;
    const startedAt = clock.monotonic();
    peers.readClock(clock);
    const isCutOff = !peers.isOnlyController && this.#deps.isCutOff();
    const renewal = { renewed_at: clock.now(), is_cut_off: isCutOff, life: this.#life, version: VERSION };
    if (await store.renew([...this.#mine], holder, renewal)) {
      if (peers.isOnlyController && startedAt - this.#polledAt < ONLY_CONTROLLER_POLL_INTERVAL_MS) {
        this.#renewedAt = startedAt;
        return;
      }
    } else await store.announce(holder, renewal);
    this.#polledAt = startedAt;
    const { living, dead, firstDueMs } = this.#tracker.classify(await store.list(), startedAt);
    const held = new Set(living.filter((lease) => lease.holder === holder).map(({ shard }) => shard));
    for (const shard of this.#mine) if (!held.has(shard)) await this.#lose(shard);
    this.#renewedAt = startedAt;
    this.#due?.cancel();
    if (firstDueMs < RENEW_INTERVAL_MS) {
      const waitMs = Math.max(0, startedAt + firstDueMs - clock.monotonic());
      this.#due = clock.setTimer(waitMs, () => this.#renewals.trigger());
    }
    await this.#share(living, dead, isCutOff);
    for (const lease of dead) if (lease.shard === null) await store.removeDead(lease);
  }

  /** Acquires and releases shards to reach an even share. */
  async #share(living: Lease[], dead: Lease[], isCutOff: boolean): Promise<void> {
    const { store, holder, shardCount, peers, requestShards } = this.#deps;
    const plan = planLeases({ leases: living, holder, shardCount, isCutOff, barred: this.#barred });
    peers.update(plan.alive === 1);
    let isComplete = plan.awaited === 0;
    for (const { shard, holder: by } of living) {
      if (shard === null || by !== holder || this.#mine.has(shard) || plan.release.includes(shard)) continue;
      isComplete = (await this.#acquire(shard, null)) && isComplete;
    }
    // Another controller may be taking the same shards; on a conflict, the next one is tried.
    let room = Math.min(plan.room, plan.free.length);
    for (const shard of plan.free) {
      if (room <= 0) break;
      const from = [...dead, ...living].find((lease) => lease.shard === shard) ?? null;
      if (await this.#acquire(shard, from)) room -= 1;
    }
    this.#hasShare ||= isComplete && room <= 0;
    const others = living.filter((lease) => lease.holder !== holder);
    if (plan.awaited > 0) requestShards(others.flatMap(({ shard }) => shard ?? []));
    for (const shard of plan.release) {
      await this.#lose(shard);
      await store.release([shard], holder);
    }
  }

  async #acquire(shard: number, from: Lease | null): Promise<boolean> {
    const { store, holder, acquired, clock } = this.#deps;
    const isOurs = await store.acquire(shard, holder, from, clock.now());
    if (isOurs) {
      this.#mine.add(shard);
      acquired(shard);
    }
    return isOurs;
  }

  async #lose(shard: number): Promise<void> {
    if (this.#mine.delete(shard)) await this.#deps.released(shard);
  }
}
