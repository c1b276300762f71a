import { sleep, type Clock } from '../../../shared/time.ts';
import type { Log } from '../../../shared/log.ts';
import { checkpoint, markSaved } from '../hours/hour-writer.ts';
import { carryOut, persistChanges, type DerivedPorts } from './derived-writer.ts';
import { ENTRY_VERSION, type DeadLetter, type JournalEntry } from '../journal/journal-entry.ts';
import { forgottenLanes } from '../journal/lane-rules.ts';
import { failedLetter } from '../intake/letter-rules.ts';
import { ShardClock } from '../clock/shard-clock.ts';
import { ShardOwner } from '../intake/entry-builder.ts';
import { ShardState, type AppliedEntry } from './shard-state.ts';
import type { HourStore, JournalStore, SnapshotStore, StateRecord } from '../journal/storage-ports.ts';
import type { TakeLimits } from '../intake/take-limits.ts';
import { Tidying, type TidyWork } from '../clock/tidying.ts';

/** Entries read at once while a journal is replayed. */
const READ_ENTRIES = 100;
/** Entries whose derived writes may lag behind; beyond it nothing more is inserted. */
const LAG_ENTRIES = 32;
/** The snapshot moves when it is this many entries behind. */
const SNAPSHOT_ENTRIES = 64;
/** First and longest wait before a derived write is tried again. */
const FIRST_BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 5000;

export interface ShardStores extends DerivedPorts {
  journal: JournalStore;
  snapshots: SnapshotStore;
  hours: HourStore;
}

export interface ShardDeps {
  clock: Clock;
  log: Log;
  stores: ShardStores;
  limits: TakeLimits;
  /** What replayed and written entries brought, for those who listen. */
  onApplied(shard: number, applied: AppliedEntry, entry: JournalEntry): void;
  /** A rule threw for one monitor beside the journal. */
  onFailed(letter: DeadLetter): void;
}

/** The journal holds an entry of a later format: the shard belongs to a controller that can read it. */
export class NewerFormatError extends Error {}

/** One shard in the hands of this controller: what is taken, what it means, and what is still to be written of it. */
export class ShardActor {
  readonly shard: number;
  /** Token of this owner: nobody else, before or after, has the same. */
  readonly writer: string;
  readonly owner: ShardOwner;
  readonly #deps: ShardDeps;
  /** By entry, what a snapshot of its number needs. */
  readonly #lanesAt: { n: number; lanes: [string, number][]; taken_at: number }[] = [];
  readonly #clock: ShardClock;
  readonly #tidying: Tidying;
  #snapshotLanes: Map<string, number>;
  #snapshotN: number;
  #chain: Promise<void> = Promise.resolve();
  #lag = 0;
  #isStopped = false;
  /** A derived write was left undone; whoever loads the shard next does it again from the journal. */
  #isGivenUp = false;
  #isTidying = false;

  private constructor(deps: ShardDeps, state: ShardState, snapshot: { n: number; lanes: Map<string, number> }, writer: string) {
    this.#deps = deps;
    this.shard = state.shard;
    this.writer = writer;
    this.owner = new ShardOwner(state, writer, deps.limits);
    this.#snapshotLanes = snapshot.lanes;
    this.#snapshotN = snapshot.n;
    this.#clock = new ShardClock(state, deps.clock.now(), { onFailed: (monitorId, now) => this.#setAside(monitorId, now) });
    this.#tidying = new Tidying(state);
  }

  get state(): ShardState {
    return this.owner.state;
  }

  get size(): number {
    return this.state.monitors.size;
  }

  /** Whether what a round of the clock has found is being written. */
  get isWriting(): boolean {
    return this.#isTidying;
  }

  /** Whether so much is unwritten that no more may be inserted. */
  get isBehind(): boolean {
    return this.#lag >= LAG_ENTRIES;
  }

  /**
   * Loads a shard: its snapshot, its monitors' states, what they had still to do, and the journal after the snapshot.
   * @throws NewerFormatError; Error when the database gave no answer or the journal moved meanwhile (try again).
   */
  static async load(shard: number, writer: string, deps: ShardDeps): Promise<ShardActor> {
    const snapshot = await deps.stores.snapshots.load(shard);
    const records = await deps.stores.states.load(shard);
    await carryOut(deps.stores, records);
    const state = new ShardState(shard, snapshot, records);
    for (const lane of state.lanes.keys()) if (!state.moved.has(lane)) state.moved.set(lane, deps.clock.now());
    const actor = new ShardActor(deps, state, { n: snapshot.n, lanes: new Map(Object.entries(snapshot.lanes)) }, writer);
    for (;;) {
      const entries = await deps.stores.journal.read(shard, state.n, READ_ENTRIES);
      // A number behind the snapshot is free again: what stands under it may be a sleeper's, and is no journal.
      const written = (await deps.stores.snapshots.numbers([shard])).get(shard) ?? 0;
      if (written > state.n) throw new Error(`the snapshot of shard ${shard} has passed entry ${state.n}`);
      for (const entry of entries) {
        if (entry.v > ENTRY_VERSION) throw new NewerFormatError(`shard ${shard} holds a journal entry of format ${entry.v}`);
        await actor.#persist(actor.#applied(entry).changed);
      }
      if (entries.length < READ_ENTRIES) break;
    }
    actor.interrupted();
    return actor;
  }

  /** Applies an entry that is in the journal for good, answers its probes and queues what follows from it. */
  settle(entry: JournalEntry): AppliedEntry {
    const applied = this.#applied(entry);
    this.owner.settled();
    // By itself: the results that came with it are not to wait for the write.
    const { changed } = applied;
    if (changed.length > 0) this.#enqueue(() => this.#persist(changed));
    return applied;
  }

  /** The database did not answer for a while: silence until now says nothing about anybody. */
  interrupted(): void {
    this.#clock.interrupted(this.#deps.clock.now());
  }

  /** All pings that were stored by then, Unix ms, are taken. */
  lookedForPings(at: number): void {
    this.#clock.lookedForPings(at);
  }

  /**
   * Begins a round of the clock; `look` goes on with it. `mayCloseHour`: no other shard books an hour in this round.
   * @returns the number of monitors that are booked at once because their hour is over.
   */
  beginRound(mayCloseHour: boolean): number {
    if (!this.#isTidying) this.#tidying.beginRound();
    // What was decided is not written yet, so results wait too: nobody's silence counts meanwhile.
    if (this.isBehind || this.owner.hasDecisions) {
      this.interrupted();
      return 0;
    }
    const decisions = this.#clock.beginRound(this.#deps.clock.now(), mayCloseHour);
    this.owner.noteClock(decisions, this.#deps.clock.monotonic());
    return decisions.some(({ kind }) => kind === 'hour') ? this.state.monitors.size : 0;
  }

  /** Looks at `most` monitors at most for which the clock may decide something, or of which something is to be written. @returns how many. */
  look(most: number): number {
    const now = this.#deps.clock.now();
    const { decisions, looks } = this.#clock.look(now, most, this.owner.hasPings);
    this.owner.noteClock(decisions, this.#deps.clock.monotonic());
    if (looks === most || this.#isTidying) return looks;
    const tidied = this.#tidying.look(now, most - looks);
    if (looks + tidied < most) this.#tidy(this.#tidying.take());
    return looks + tidied;
  }

  /** Said once. */
  #setAside(monitorId: string, now: number): void {
    const item = { kind: 'silent' as const, region: '', at: now };
    this.#deps.onFailed(failedLetter({ shard: this.shard, n: this.state.n, taken_at: now }, { monitor_id: monitorId, item, fresh: null }));
  }

  /** Writes the hours that are due, forgets who is long deleted and moves the snapshot behind what is written. */
  #tidy(work: TidyWork): void {
    const { due, gone } = work;
    const saved = due.length + gone.length === 0 ? this.#tidying.done(work) : null;
    if (due.length + gone.length === 0 && (saved ?? 0) - this.#snapshotN < SNAPSHOT_ENTRIES) return;
    this.#isTidying = true;
    this.#enqueue(async () => {
      if (due.length > 0) await checkpoint(this.#deps.stores, this.state, due, this.#deps.clock.now());
      if (gone.length > 0) await this.#deps.stores.states.remove(gone);
      for (const id of gone) this.state.monitors.delete(id);
      const through = saved ?? this.#tidying.done(work);
      if (through !== null) await this.#moveSnapshot(through);
      this.#isTidying = false;
    });
  }

  /** Takes nothing more on and waits for what is queued. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#chain;
  }

  #applied(entry: JournalEntry): AppliedEntry {
    const applied = this.state.apply(entry);
    this.#lanesAt.push({ n: entry.n, lanes: entry.lanes, taken_at: this.state.takenAt });
    this.#clock.applied(entry, applied.changed);
    this.#deps.onApplied(this.shard, applied, entry);
    return applied;
  }

  async #persist(changed: StateRecord[]): Promise<void> {
    await persistChanges(this.#deps.stores, changed);
    for (const record of changed) {
      const cell = this.state.monitors.get(record.monitor_id);
      if (!cell) continue;
      cell.queued -= 1;
      markSaved(cell, record.position);
    }
  }

  async #moveSnapshot(saved: number): Promise<void> {
    // A ping leaves its collection before the snapshot passes its entry: else its next reader would not know it.
    const firstPing = this.state.pings.values().next().value ?? Infinity;
    const through = Math.min(saved, firstPing - 1);
    if (through - this.#snapshotN < SNAPSHOT_ENTRIES) return;
    const lanes = new Map(this.#snapshotLanes);
    let used = 0;
    let takenAt: number | undefined;
    for (let next = this.#lanesAt[0]; next && next.n <= through; next = this.#lanesAt[used]) {
      for (const [lane, position] of next.lanes) lanes.set(lane, position);
      takenAt = next.taken_at;
      used += 1;
    }
    const now = this.#deps.clock.now();
    const forgotten = (): string[] => forgottenLanes(this.state.moved, this.#deps.limits.longestRawMs, now);
    for (const lane of forgotten()) lanes.delete(lane);
    const moved = [...lanes.keys()].map((lane): [string, number] => [lane, this.state.moved.get(lane) ?? now]);
    const snapshot = { n: through, lanes: Object.fromEntries(lanes), moved: Object.fromEntries(moved), taken_at: takenAt };
    await this.#deps.stores.snapshots.move(this.shard, snapshot);
    // Asked again: one of them may have moved meanwhile.
    for (const lane of forgotten()) this.state.forgetLane(lane);
    this.#lanesAt.splice(0, used);
    this.#snapshotLanes = lanes;
    this.#snapshotN = through;
    await this.#deps.stores.journal.deleteThrough(this.shard, through);
  }

  /** Derived writes of one shard go one after the other, each repeated until it is through or the shard is given up. */
  #enqueue(work: () => Promise<void>): void {
    this.#lag += 1;
    this.#chain = this.#chain.then(() => this.#untilDone(work)).then(() => {
      this.#lag -= 1;
    });
  }

  async #untilDone(work: () => Promise<void>): Promise<void> {
    let backoffMs = FIRST_BACKOFF_MS;
    while (!this.#isGivenUp) {
      try {
        return await work();
      } catch (error) {
        this.#deps.log.warn({ err: error, shard: this.shard }, 'a derived write failed and is tried again');
        // What follows must not overtake it: a state written past it would hide for ever what it had to tell.
        if (this.#isStopped) this.#isGivenUp = true;
        else await sleep(this.#deps.clock, backoffMs);
        backoffMs = Math.min(backoffMs * 2, LONGEST_BACKOFF_MS);
      }
    }
  }
}
