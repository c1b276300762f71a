import { hourOf } from '../incidents/booking-rules.ts';
import type { MonitorState } from '../incidents/monitor-state.ts';
import { sleep, type Clock } from '../../shared/time.ts';
import type { Log } from '../../shared/log.ts';
import { checkpoint, dueForCheckpoint, HOUR_GRACE_MS, markSaved, savedThrough } from './checkpoint.ts';
import { carryOut, persistChanges, type DerivedPorts } from './derived-writer.ts';
import { HeartbeatWatch } from './heartbeat-watch.ts';
import { ENTRY_VERSION, type ClockDecision, type DeadLetter, type JournalEntry } from './journal-entry.ts';
import { forgottenLanes } from './lane-rules.ts';
import { failedLetter, ShardOwner, type TakeLimits } from './shard-owner.ts';
import { ShardState, type AppliedEntry } from './shard-state.ts';
import type { HourStore, JournalStore, SnapshotStore, StateRecord } from './storage-ports.ts';

/** Entries read at once while a journal is replayed. */
const READ_ENTRIES = 100;
/** Entries whose derived writes may lag behind; beyond it nothing more is inserted. */
const LAG_ENTRIES = 32;
/** The snapshot moves when it is this many entries behind. */
const SNAPSHOT_ENTRIES = 64;
/** A region is silent when nothing came for two intervals, the check's timeout and this. */
const SILENCE_GRACE_MS = 15_000;
/** After a break every live probe has tried again within this: it waits 30 s at most, and for an answer. */
const ROUND_MS = 45_000;
/** First and longest wait before a derived write is tried again. */
const FIRST_BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 5000;
const FORGET_AFTER_MS = 24 * 3_600_000;

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
  readonly owner: ShardOwner;
  readonly #deps: ShardDeps;
  /** By entry, what a snapshot of its number needs. */
  readonly #lanesAt: { n: number; lanes: [string, number][]; taken_at: number }[] = [];
  readonly #watch = new HeartbeatWatch();
  /** Monitors for which the clock decides nothing, as a rule has thrown. */
  readonly #unclocked = new Set<string>();
  #snapshotLanes: Map<string, number>;
  #snapshotN: number;
  #chain: Promise<void> = Promise.resolve();
  #lag = 0;
  #isStopped = false;
  /** A derived write was left undone; whoever loads the shard next does it again from the journal. */
  #isGivenUp = false;
  #checkpointing = false;
  /** Since when everything that was pending has been taken without a break, Unix ms: silence counts from here. */
  #watchedSince: number;
  #hourClosed: number;

  private constructor(deps: ShardDeps, state: ShardState, snapshot: { n: number; lanes: Map<string, number> }, writer: string) {
    this.#deps = deps;
    this.shard = state.shard;
    this.owner = new ShardOwner(state, writer, deps.limits);
    this.#snapshotLanes = snapshot.lanes;
    this.#snapshotN = snapshot.n;
    this.#watchedSince = deps.clock.now();
    this.#hourClosed = 0;
  }

  get state(): ShardState {
    return this.owner.state;
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
    this.#watchedSince = this.#deps.clock.now();
    this.#watch.interrupted(this.state.takenAt);
  }

  /** All pings that were stored by then, Unix ms, are taken. */
  lookedForPings(at: number): void {
    this.#watch.looked(at);
  }

  /** What the clock says now: regions that fell silent, an hour that is over. */
  decideByClock(): void {
    // What was decided is not written yet, so results wait too: nobody's silence counts meanwhile.
    if (this.isBehind || this.owner.hasDecisions) return this.interrupted();
    const now = this.#deps.clock.now();
    const decisions = this.#watch.decide(this.state, now, this.owner.hasPings);
    const hour = hourOf(now - HOUR_GRACE_MS);
    if (hour > this.#hourClosed) {
      this.#hourClosed = hour;
      decisions.push({ kind: 'hour', until: hour });
    }
    for (const [id, cell] of this.state.monitors) {
      try {
        decisions.push(...this.#silences(id, cell.state, now));
      } catch {
        this.#setAside(id, now);
      }
      if (decisions.length >= 500) break;
    }
    this.owner.noteClock(decisions, this.#deps.clock.monotonic());
  }

  #silences(monitorId: string, { config, regions }: MonitorState, now: number): ClockDecision[] {
    if (config.status !== 'active') return [];
    const patienceMs = 2 * config.interval_ms + config.timeout_ms + SILENCE_GRACE_MS;
    if (now - this.#watchedSince < Math.max(patienceMs, ROUND_MS)) return [];
    return Object.entries(regions).flatMap(([region, { verdict, last_at: lastAt }]) =>
      verdict === 'unknown' || lastAt === null || now - lastAt < patienceMs ? [] : { kind: 'silent' as const, monitor_id: monitorId, region, at: lastAt + config.interval_ms });
  }

  /** Nobody is silent for a monitor whose rule throws; the others are not to wait for it. Said once. */
  #setAside(monitorId: string, now: number): void {
    if (this.#unclocked.has(monitorId)) return;
    this.#unclocked.add(monitorId);
    const item = { kind: 'silent' as const, region: '', at: now };
    this.#deps.onFailed(failedLetter({ shard: this.shard, n: this.state.n, taken_at: now }, { monitor_id: monitorId, item, fresh: null }));
  }

  /** Writes the hours that are due and moves the snapshot behind what is written. */
  tidy(): void {
    if (this.#checkpointing) return;
    this.#checkpointing = true;
    this.#enqueue(async () => {
      try {
        const now = this.#deps.clock.now();
        const due = dueForCheckpoint(this.state, now);
        if (due.length > 0) await checkpoint(this.#deps.stores, this.state, due, now);
        await this.#forgetDeleted(now);
        await this.#moveSnapshot();
      } finally {
        this.#checkpointing = false;
      }
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
    for (const decision of entry.clock) if (decision.kind === 'hour') this.#hourClosed = Math.max(this.#hourClosed, decision.until);
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

  /** A deleted monitor is remembered for a day, so that what its probes still send is no riddle. */
  async #forgetDeleted(now: number): Promise<void> {
    const gone = [...this.state.monitors].filter(([, { state, hours, unsavedFrom, queued }]) =>
      state.config.status === 'deleted' && state.config.changed_at < now - FORGET_AFTER_MS && hours.size === 0 && unsavedFrom === null && queued === 0);
    if (gone.length === 0) return;
    const ids = gone.map(([id]) => id);
    await this.#deps.stores.states.remove(ids);
    for (const id of ids) this.state.monitors.delete(id);
  }

  async #moveSnapshot(): Promise<void> {
    // A ping leaves its collection before the snapshot passes its entry: else its next reader would not know it.
    const firstPing = this.state.pings.values().next().value ?? Infinity;
    const through = Math.min(savedThrough(this.state), firstPing - 1);
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
