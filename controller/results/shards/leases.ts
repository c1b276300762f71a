import type { Company } from '../../../shared/company.ts';
import type { Log } from '../../../shared/log.ts';
import { Rounds } from '../../../shared/rounds.ts';
import type { Clock } from '../../../shared/time.ts';
import { planLeases } from './lease-rules.ts';
import type { LeaseStore } from './lease-store.ts';

const RENEW_EVERY_MS = 3000;
/** The shards of a controller that has not renewed for this long are taken over. */
const LEASE_MS = 10_000;
/** A controller that is alone looks for others in every third round: those that come ask it to look. */
const LOOK_ALONE_MS = 8000;

export interface LeaseDeps {
  clock: Clock;
  log: Log;
  store: Pick<LeaseStore, 'look' | 'show' | 'acquire' | 'renew' | 'release' | 'leave'>;
  /** The same after a restart, so that a killed controller gets its own shards back at once. */
  holder: string;
  acquired(shard: number): void;
  released(shard: number): Promise<void>;
  company: Pick<Company, 'isAlone' | 'seen'>;
  /** Asks those who have these shards to look: they have more than their share, and we less than ours. */
  ask(shards: number[]): void;
}

/** Keeps this controller's share of the shards. */
export class Leases {
  readonly #deps: LeaseDeps;
  readonly #mine = new Set<number>();
  readonly #barred = new Set<number>();
  readonly #rounds: Rounds;
  #isStarted = false;
  #hasShare = false;
  /** When the latest successful renewal began, monotonic ms. */
  #renewedAt = -Infinity;
  /** When the latest look at all leases began, monotonic ms. */
  #lookedAt = -Infinity;

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
    this.#rounds = new Rounds({
      clock: deps.clock, everyMs: RENEW_EVERY_MS, round: () => this.#round(),
      onFailed: (error) => {
        deps.company.seen(false);
        deps.log.warn({ err: error }, 'leases could not be renewed');
      },
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
    return this.#deps.clock.monotonic() - this.#renewedAt < LEASE_MS;
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
    const mine = [...this.#mine];
    this.#mine.clear();
    await this.#deps.store.release(mine, this.#deps.holder);
    await this.#deps.store.leave(this.#deps.holder);
  }

  async #round(): Promise<void> {
    const { store, holder, clock, company, ask } = this.#deps;
    const now = clock.now();
    const beganAt = clock.monotonic();
    if (await store.renew([...this.#mine], holder, now + LEASE_MS)) {
      if (company.isAlone && beganAt - this.#lookedAt < LOOK_ALONE_MS) {
        this.#renewedAt = beganAt;
        return;
      }
    } else await store.show(holder, now + LEASE_MS);
    this.#lookedAt = beganAt;
    const { leases, alive } = await store.look(holder, now);
    company.seen(alive === 1);
    const ours = leases.filter((lease) => lease.holder === holder && lease.expires_at >= now);
    const held = new Set(ours.map((lease) => lease.shard));
    for (const shard of this.#mine) if (!held.has(shard)) await this.#lose(shard);
    this.#renewedAt = beganAt;
    const plan = planLeases({ leases, alive, holder, now, barred: this.#barred });
    const wanted = [...held].filter((shard) => !this.#mine.has(shard) && !plan.release.includes(shard));
    let isComplete = plan.awaited === 0;
    for (const shard of [...wanted, ...plan.acquire]) {
      if (await store.acquire(shard, holder, now, now + LEASE_MS)) this.#gain(shard);
      else isComplete = false;
    }
    this.#hasShare ||= isComplete;
    if (plan.awaited > 0) ask(leases.filter((lease) => lease.holder !== holder).map(({ shard }) => shard));
    for (const shard of plan.release) {
      await this.#lose(shard);
      await store.release([shard], holder);
    }
  }

  #gain(shard: number): void {
    this.#mine.add(shard);
    this.#deps.acquired(shard);
  }

  async #lose(shard: number): Promise<void> {
    if (this.#mine.delete(shard)) await this.#deps.released(shard);
  }
}
