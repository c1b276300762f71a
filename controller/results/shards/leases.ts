import type { Company } from '../../../shared/company.ts';
import type { Log } from '../../../shared/log.ts';
import { Rounds } from '../../../shared/rounds.ts';
import type { Clock, Timer } from '../../../shared/time.ts';
import { planLeases, type Lease } from './lease-rules.ts';
import type { LeaseStore } from './lease-store.ts';
import { LeaseWatch } from './lease-watch.ts';

const RENEW_EVERY_MS = 2000;
/** While nobody else is there to take over. */
const RENEW_ALONE_MS = 3000;
/** The shards of a controller whose renewals others have not seen for this long are taken over. */
const DEAD_AFTER_MS = 5000;
/** Less than others wait: from then on a controller that could not renew does not trust what it knows. */
const CURRENT_MS = 4500;
/** What a lease says of its end is for older controllers, which compare it with their clocks. */
const EXPIRY_MS = 10_000;
/** A controller that is alone seldom looks for others: those that come ask it to look, again and again. */
const LOOK_ALONE_MS = 20_000;

export interface LeaseDeps {
  clock: Clock;
  log: Log;
  store: Pick<LeaseStore, 'look' | 'show' | 'acquire' | 'renew' | 'release' | 'leave' | 'bury'>;
  /** The same after a restart, so that a killed controller gets its own shards back at once. */
  holder: string;
  acquired(shard: number): void;
  released(shard: number): Promise<void>;
  company: Pick<Company, 'isAlone' | 'seen' | 'readClock'>;
  /** Asked in each round in company: whether the bus cannot be reached. */
  isCutOff(): boolean;
  /** Asks those who have these shards to look: they have more than their share, and we less than ours. */
  ask(shards: number[]): void;
}

/** Keeps this controller's share of the shards. */
export class Leases {
  readonly #deps: LeaseDeps;
  readonly #mine = new Set<number>();
  readonly #barred = new Set<number>();
  readonly #rounds: Rounds;
  readonly #watch: LeaseWatch;
  /** For the moment at which a lease that is no longer renewed is dead. */
  #due: Timer | null = null;
  #isStarted = false;
  #hasShare = false;
  /** When the latest successful renewal began, monotonic ms. */
  #renewedAt = -Infinity;
  /** When the latest look at all leases began, monotonic ms. */
  #lookedAt = -Infinity;

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
    this.#rounds = new Rounds({
      clock: deps.clock, everyMs: RENEW_EVERY_MS, quietMs: RENEW_ALONE_MS,
      round: async () => {
        await this.#round();
        return deps.company.isAlone ? 'quiet' : false;
      },
      onFailed: (error) => {
        deps.company.seen(false);
        deps.log.warn({ err: error }, 'could not renew leases');
      },
    });
    this.#watch = new LeaseWatch({
      holder: deps.holder, deadAfterMs: DEAD_AFTER_MS, longestPauseMs: 2 * RENEW_EVERY_MS,
    });
  }

  start(): void {
    this.#isStarted = true;
    this.#rounds.start();
    this.#rounds.look();
  }

  /** Another controller has come and waits for its share. */
  asked(): void {
    this.#lookedAt = -Infinity;
    this.#rounds.look();
  }

  /**
   * Whether a shard is ours as far as we know; `released` is called when it no longer is. A lease that could
   * not be renewed for a while still counts: giving up its shard would leave the shard alone once renewing
   * works again.
   */
  holds(shard: number): boolean {
    return this.#mine.has(shard);
  }

  /** The shards that are ours as far as we know. */
  get held(): ReadonlySet<number> {
    return this.#mine;
  }

  /** False while the leases in hand may have run out, so that another controller may have the shards. */
  get areCurrent(): boolean {
    return this.#deps.clock.monotonic() - this.#renewedAt < CURRENT_MS;
  }

  /** True once this controller has had its share of the shards, which takes others some rounds to release. */
  get hasHadShare(): boolean {
    return this.#hasShare;
  }

  /** Gives up a shard whose journal only a later version can read, for as long as this process lives. */
  async surrender(shard: number): Promise<void> {
    this.#barred.add(shard);
    await this.#lose(shard);
    await this.#deps.store.release([shard], this.#deps.holder);
  }

  /** Releases everything; called when nothing more will be written. */
  async stop(): Promise<void> {
    if (!this.#isStarted) return;
    this.#hasShare = false;
    await this.#rounds.stop();
    this.#due?.cancel();
    const mine = [...this.#mine];
    this.#mine.clear();
    await this.#deps.store.release(mine, this.#deps.holder);
    await this.#deps.store.leave(this.#deps.holder);
  }

  async #round(): Promise<void> {
    const { store, holder, clock, company } = this.#deps;
    const beganAt = clock.monotonic();
    company.readClock(clock);
    const isCutOff = !company.isAlone && this.#deps.isCutOff();
    const sign = { expires_at: this.#expiry(), is_cut_off: isCutOff };
    if (await store.renew([...this.#mine], holder, sign)) {
      if (company.isAlone && beganAt - this.#lookedAt < LOOK_ALONE_MS) {
        this.#renewedAt = beganAt;
        return;
      }
    } else await store.show(holder, sign);
    this.#lookedAt = beganAt;
    const { living, dead, firstDueMs } = this.#watch.judge(await store.look(), beganAt);
    const held = new Set(living.filter((lease) => lease.holder === holder).map(({ shard }) => shard));
    for (const shard of this.#mine) if (!held.has(shard)) await this.#lose(shard);
    this.#renewedAt = beganAt;
    this.#due?.cancel();
    if (firstDueMs < RENEW_EVERY_MS) {
      const waitMs = Math.max(0, beganAt + firstDueMs - clock.monotonic());
      this.#due = clock.setTimer(waitMs, () => this.#rounds.look());
    }
    await this.#share(living, dead, isCutOff);
    for (const lease of dead) if (lease.shard === null) await store.bury(lease);
  }

  /** Acquires and releases what makes our share of the shards even. */
  async #share(living: Lease[], dead: Lease[], isCutOff: boolean): Promise<void> {
    const { store, holder, company, ask } = this.#deps;
    const plan = planLeases({ leases: living, holder, isCutOff, barred: this.#barred });
    company.seen(plan.alive === 1);
    let isComplete = plan.awaited === 0;
    for (const { shard, holder: by } of living) {
      if (shard === null || by !== holder || this.#mine.has(shard) || plan.release.includes(shard)) continue;
      isComplete = (await this.#acquire(shard, null)) && isComplete;
    }
    // Another controller may be taking the same ones: then the next one is tried.
    let room = Math.min(plan.room, plan.free.length);
    for (const shard of plan.free) {
      if (room <= 0) break;
      const from = [...dead, ...living].find((lease) => lease.shard === shard) ?? null;
      if (await this.#acquire(shard, from)) room -= 1;
    }
    this.#hasShare ||= isComplete && room <= 0;
    const others = living.filter((lease) => lease.holder !== holder);
    if (plan.awaited > 0) ask(others.flatMap(({ shard }) => shard ?? []));
    for (const shard of plan.release) {
      await this.#lose(shard);
      await store.release([shard], holder);
    }
  }

  async #acquire(shard: number, from: Lease | null): Promise<boolean> {
    const { store, holder, acquired } = this.#deps;
    const isOurs = await store.acquire(shard, holder, from, this.#expiry());
    if (isOurs) {
      this.#mine.add(shard);
      acquired(shard);
    }
    return isOurs;
  }

  #expiry(): number {
    return this.#deps.clock.now() + EXPIRY_MS;
  }

  async #lose(shard: number): Promise<void> {
    if (this.#mine.delete(shard)) await this.#deps.released(shard);
  }
}
