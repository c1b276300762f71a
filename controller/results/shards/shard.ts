import type { ActorContext, Behaviour } from '../../../shared/actor/actor.ts';
import type { Clock, Timer } from '../../../shared/time.ts';
import type { Log } from '../../../shared/log.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import { isOngoing } from '../../verdicts/status/reopen-rules.ts';
import { ShardClock } from '../clock/shard-clock.ts';
import { SnapshotCompactor, type CompactionWork } from '../clock/snapshot-compactor.ts';
import type { DeadLetterBox } from '../dead-letters/dead-letter-box.ts';
import { cutLetter, failedLetter, unreadableLetter, type DeadLetter } from '../dead-letters/dead-letter.ts';
import type { LostLanes } from '../dead-letters/lost-lanes.ts';
import { markSaved, type CutHour } from '../writing/closed-hours.ts';
import { HourWrites } from '../writing/hour-writes.ts';
import { MonitorWrites } from '../writing/monitor-writes.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';
import type { HourStore } from '../hours/hour-store.ts';
import { EntryBuilder } from '../intake/entry-builder.ts';
import type { ReceivedPing } from '../intake/ping-rules.ts';
import type { TakeLimits, TakenMessage } from '../intake/take-limits.ts';
import { ENTRY_VERSION, type JournalEntry } from '../journal/journal-entry.ts';
import type { JournalStore, InsertOutcome } from '../journal/journal-store.ts';
import type { JournalWriter } from './journal-writer.ts';
import {
  NewerFormatError, OvertakenError, PoisonEntryError, type ManualEnd, type ShardMessage, type ShardView,
} from './shard-message.ts';
import type { StateRecord } from '../state/records.ts';
import { SnapshotMover, type SnapshotMoverStores } from '../writing/snapshot-mover.ts';
import type { OutboxPorts } from '../writing/outbox.ts';
import { WriteQueue } from '../writing/write-queue.ts';
import { JournalGapError, ShardState } from '../state/shard-state.ts';
import type { AppliedEntry } from '../state/entry-step.ts';

/** Entries read at once while a journal is replayed. */
const READ_BATCH_SIZE = 100;
/** While all is well a shard's entry is written this often. */
const FLUSH_INTERVAL_MS = 1000;
/** A shard whose derived writes lag is asked for an entry again after this. */
const FULL_QUEUE_RETRY_MS = 200;

export interface ShardStores extends OutboxPorts, SnapshotMoverStores {
  journal: Pick<JournalStore, 'insert' | 'read' | 'deleteThrough'>;
  hours: Pick<HourStore, 'read' | 'write' | 'rollDays'>;
}

/** Each is called by itself: one that throws costs the shard and the others nothing. */
export interface ShardListeners {
  /** Entries that are final here; `replayed` while the shard is loaded. */
  onApplied: ((state: ShardState, applied: AppliedEntry, replayed: boolean) => void)[];
  /** Configurations that the journal has now. */
  onConfigs(configs: MonitorConfig[]): void;
}

/** Figures since the start of this controller, of all its shards. */
export interface IngestCounts {
  entries: number;
  results: number;
  voided: number;
  insert_failures: number;
  /** Calls of listeners that threw. */
  listener_failures: number;
  /** Entries whose contents were set aside, because they could not be read, applied or written. */
  set_aside: number;
}

export interface ShardDeps {
  clock: Clock;
  log: Log;
  stores: ShardStores;
  limits: TakeLimits;
  journal: Pick<JournalWriter, 'schedule'>;
  deadLetters: Pick<DeadLetterBox, 'put'>;
  lostLanes: Pick<LostLanes, 'report'>;
  listeners: ShardListeners;
  counts: IngestCounts;
  /** True for an entry that ended an earlier life while it was loaded. */
  isPoison(n: number): boolean;
}

/** One life of a shard: what is taken, what it means, and what is still to be written of it. */
export class Shard implements Behaviour<ShardMessage>, ShardView {
  readonly writer: string;
  readonly state: ShardState;
  readonly #deps: ShardDeps;
  readonly #context: ActorContext<ShardMessage>;
  readonly #builder: EntryBuilder;
  readonly #clock: ShardClock;
  readonly #compactor: SnapshotCompactor;
  readonly #writes: WriteQueue;
  readonly #monitorWrites: MonitorWrites;
  readonly #hourWrites: HourWrites;
  readonly #snapshots: SnapshotMover;
  #isCompacting = false;
  /** Set while regions that are too few wait to be believed. */
  #minorityTimer: Timer | null = null;
  /** When it fires, monotonic ms. */
  #minorityAt = Infinity;

  private constructor(
    deps: ShardDeps, context: ActorContext<ShardMessage>, state: ShardState, writer: string,
  ) {
    const { clock, log, stores, limits } = deps;
    this.#deps = deps;
    this.#context = context;
    this.state = state;
    this.writer = writer;
    this.#builder = new EntryBuilder(
      state, writer, limits, (message) => context.enqueue({ kind: 'batch', message }),
    );
    this.#clock = new ShardClock(
      state, clock.now(), {
        monotonic: () => clock.monotonic(),
        onFailed: (monitorId, now) => this.#setAside(monitorId, now),
        assigned: (config) => limits.assigned(config),
        hasVote: (probeId) => limits.hasVote(probeId),
        hasLiveProbe: (region) => limits.hasLiveProbe(region),
        canGetMoreVotes: (monitor) => limits.canGetMoreVotes(monitor),
        noDataAfterMs: limits.noDataAfterMs,
      },
    );
    this.#compactor = new SnapshotCompactor(state, (id) => this.#hourWrites.canWrite(id));
    this.#writes = new WriteQueue({ clock, log, shard: state.shard });
    this.#monitorWrites = new MonitorWrites({
      clock, log, stores, onWritten: ({ monitor_id: id, position }) => this.#written(id, position),
    });
    this.#hourWrites = new HourWrites({ clock, log, stores, state });
    this.#snapshots = new SnapshotMover({
      clock, stores, maxRawRetentionMs: limits.maxRawRetentionMs, state,
    });
  }

  /**
   * Loads a shard: its snapshot, its monitors' states, what they had still to do, and the journal after the
   * snapshot.
   * @throws NewerFormatError; Error when the database gave no answer or the journal moved meanwhile (try
   * again).
   */
  static async load(
    shard: number, writer: string, deps: ShardDeps, context: ActorContext<ShardMessage>,
  ): Promise<Shard> {
    const { stores, clock } = deps;
    const snapshot = await stores.snapshots.load(shard);
    const records = await stores.states.load(shard);
    const state = new ShardState(shard, snapshot, records, clock.now());
    const loaded = new Shard(deps, context, state, writer);
    await loaded.#carryOut(records.filter(({ outbox }) => outbox.length > 0));
    await loaded.#replay();
    loaded.#interrupted();
    return loaded;
  }

  receive(message: ShardMessage): void {
    switch (message.kind) {
      case 'batch':
        this.#take(message.message);
        break;
      case 'configs':
        this.#builder.noteConfigs(message.configs, this.#deps.clock.monotonic());
        message.respond(
          message.configs.filter((config) => this.#isJournaled(config)).map((config) => config.monitor_id),
        );
        break;
      case 'pings':
        this.#notePings(message.pings, message.polledAt);
        message.respond(
          message.pings.flatMap((ping) => (this.state.monitors.has(ping.monitor_id) ? [] : [ping.id])),
        );
        break;
      case 'manualEnds':
        message.respond(this.#noteManualEnds(message.ends));
        break;
      case 'pingsRemoved':
        for (const id of message.ids) this.state.pings.delete(id);
        return;
      case 'nextEntry':
        message.respond(this.#writes.isFull ? null : this.#builder.nextEntry(this.#deps.clock.now()));
        break;
      case 'inserted':
        this.#settle(message.outcome, message.snapshotN);
        message.respond();
        break;
      case 'witness':
        this.#builder.noteClock([message.decision], this.#deps.clock.monotonic());
        break;
      case 'minorityDue':
        this.#acceptMinorities();
        break;
      case 'interrupted':
        return this.#interrupted();
      case 'beginScan':
        message.respond(this.#beginScan(message.mayCloseHour));
        break;
      case 'scan':
        message.respond({ scanned: this.#scan(message.limit), isWriting: this.#isCompacting });
        break;
      case 'read':
        return message.read(this);
    }
    this.#schedule();
  }

  /** Waits for what is queued. What the database does not take now is written by the next life. */
  async close(): Promise<void> {
    this.#minorityTimer?.cancel();
    await this.#writes.stop();
    await this.#monitorWrites.stop();
  }

  /** Monitors of this shard that the database does not take at present; each is retried by itself. */
  get setAside(): number {
    return this.#monitorWrites.aside + this.#hourWrites.setAsideCount;
  }

  /** What the life before had written and not carried out. */
  #carryOut(records: StateRecord[]): Promise<void> {
    for (const { monitor_id: id } of records) (this.state.monitors.get(id) as LiveMonitor).queued += 1;
    return this.#monitorWrites.write(records);
  }

  async #replay(): Promise<void> {
    const { journal, snapshots } = this.#deps.stores;
    const { shard } = this.state;
    for (;;) {
      const entries = await journal.read(shard, this.state.n, READ_BATCH_SIZE);
      // An entry behind the snapshot may be a sleeper's, under a number that was free: it does not count.
      const written = (await snapshots.numbers([shard])).get(shard) ?? 0;
      if (written > this.state.n) {
        throw new Error(`the snapshot of shard ${shard} has passed entry ${this.state.n}`);
      }
      for (const entry of entries) {
        if (entry.v > ENTRY_VERSION) {
          throw new NewerFormatError(`shard ${shard} holds a journal entry of format ${entry.v}`);
        }
        const applied = this.#replayed(entry);
        await this.#monitorWrites.write(applied.changed);
        this.#announce(applied, true);
      }
      if (entries.length < READ_BATCH_SIZE) return;
    }
  }

  /** An entry that ended the life before is applied without its contents, which become dead letters. */
  #replayed(entry: JournalEntry): AppliedEntry {
    try {
      if (!this.#deps.isPoison(entry.n)) return this.#apply(entry);
      const { shard, n, v, writer, taken_at, lanes, batches, unread = [] } = entry;
      const place = { shard, n, v, writer, taken_at, lanes };
      return this.#apply(
        { ...place, configs: [], batches: [], pings: [], clock: [], unread: [...batches, ...unread] },
      );
    } catch (error) {
      throw error instanceof JournalGapError ? error : new PoisonEntryError(entry.n, error);
    }
  }

  /** A message that throws is set aside: nobody else's results wait because of it. */
  #take(message: TakenMessage): void {
    const { clock, deadLetters, log } = this.#deps;
    const now = { wall: clock.now(), monotonic: clock.monotonic() };
    let letter: DeadLetter | null;
    try {
      letter = this.#builder.take(message, now);
    } catch (error) {
      log.error({ err: error, shard: this.state.shard, probe: message.probe_id }, 'a batch was set aside');
      letter = unreadableLetter(this.state.shard, message, now.wall);
    }
    if (letter) deadLetters.put([letter]);
  }

  #announce(applied: AppliedEntry, replayed: boolean): void {
    for (const onApplied of this.#deps.listeners.onApplied) {
      this.#callListener(() => onApplied(this.state, applied, replayed));
    }
  }

  #callListener(listen: () => void): void {
    try {
      listen();
    } catch (error) {
      this.#deps.counts.listener_failures += 1;
      this.#deps.log.error({ err: error, shard: this.state.shard }, 'a listener for results failed');
    }
  }

  #isJournaled(config: MonitorConfig): boolean {
    const monitor = this.state.monitors.get(config.monitor_id);
    return monitor !== undefined && monitor.state.config.revision >= config.revision;
  }

  #notePings(pings: ReceivedPing[], polledAt: number | null): void {
    const areAllTaken = this.#builder.notePings(pings, this.#deps.clock.monotonic());
    if (areAllTaken && polledAt !== null) this.#clock.pingsPolled(polledAt);
  }

  /** Notes those that concern an outage that goes on; returns the incidents of the others. */
  #noteManualEnds(ends: ManualEnd[]): string[] {
    const isNew = ({ monitor_id: id, incident_id: incidentId }: ManualEnd): boolean => {
      const monitor = this.state.monitors.get(id);
      return monitor !== undefined && isOngoing(monitor.state, incidentId);
    };
    const decisions = ends.filter(isNew).map((end) => ({ kind: 'manual_end' as const, ...end }));
    this.#builder.noteClock(decisions, this.#deps.clock.monotonic());
    return ends.filter((end) => !isNew(end)).map((end) => end.incident_id);
  }

  /** Asks for the next entry to be written when it is due. */
  #schedule(): void {
    const { waitingSince, isUrgent, inHand } = this.#builder;
    // What becomes of the entry in hand comes first.
    if (waitingSince === null || inHand) return;
    const now = this.#deps.clock.monotonic();
    const at = isUrgent ? now : waitingSince + FLUSH_INTERVAL_MS;
    this.#deps.journal.schedule(
      this.#context.self, this.#writes.isFull ? Math.max(at, now + FULL_QUEUE_RETRY_MS) : at,
    );
  }

  /** The insert is half of the fence, the snapshot the other: a number below it was written before. */
  #settle(outcome: InsertOutcome, snapshotN: number): void {
    const { counts, listeners } = this.#deps;
    const entry = this.#builder.inHand;
    if (!entry) return;
    if (outcome === 'refused') return this.#refused(entry);
    if (outcome === 'taken' || snapshotN >= entry.n) {
      counts.voided += 1;
      throw new OvertakenError(`another controller has written shard ${entry.shard}`);
    }
    const applied = this.#apply(entry);
    this.#builder.settled();
    // On its own: the results that came with it do not wait for the write.
    const { changed } = applied;
    if (changed.length > 0) this.#writes.add(() => this.#monitorWrites.write(changed));
    counts.entries += 1;
    counts.results += applied.fresh.length;
    this.#announce(applied, false);
    if (entry.configs.length > 0) this.#callListener(() => listeners.onConfigs(entry.configs));
  }

  /** The entry is tried once more without its results; a shard without any starts again. */
  #refused({ n, shard }: JournalEntry): void {
    const { clock, counts, log } = this.#deps;
    counts.set_aside += 1;
    log.error({ shard, n }, 'the database rejected a journal entry; its results were set aside');
    if (!this.#builder.setAsideBatches(clock.now())) throw new Error(`entry ${n} is refused without results`);
    this.#deps.journal.schedule(this.#context.self, clock.monotonic());
  }

  #apply(entry: JournalEntry): AppliedEntry {
    const { shard, n, unread = [], taken_at: takenAt } = entry;
    const applied = this.state.apply(entry);
    this.#snapshots.applied(entry);
    this.#clock.applied(entry, applied);
    this.#scheduleMinority();
    if (applied.dropped.length > 0) this.#deps.lostLanes.report(entry, applied.dropped);
    const letters = [
      ...applied.failed.map((failed) => failedLetter(entry, failed)),
      ...unread.map((batch) => unreadableLetter(shard, batch, takenAt)),
    ];
    if (letters.length > 0) this.#deps.deadLetters.put(letters);
    if (unread.length > 0) {
      this.#deps.counts.set_aside += 1;
      this.#deps.log.error({ shard, n, batches: unread.length }, 'a journal entry can only be read in part');
    }
    return applied;
  }

  #written(monitorId: string, position: number): void {
    const monitor = this.state.monitors.get(monitorId);
    if (!monitor) return;
    monitor.queued -= 1;
    markSaved(monitor, position);
  }

  #interrupted(): void {
    this.#clock.interrupted(this.#deps.clock.now());
  }

  #scheduleMinority(): void {
    const { clock } = this.#deps;
    const dueAt = this.#clock.minorityDueAt;
    if (dueAt === null || dueAt >= this.#minorityAt) return;
    const waitMs = Math.max(0, dueAt - clock.monotonic());
    this.#minorityTimer?.cancel();
    this.#minorityAt = dueAt;
    this.#minorityTimer = clock.setTimer(waitMs, () => this.#context.enqueue({ kind: 'minorityDue' }));
  }

  #acceptMinorities(): void {
    const { clock } = this.#deps;
    this.#minorityAt = Infinity;
    this.#builder.noteClock(this.#clock.takeMinorityVerdicts(clock.now()), clock.monotonic());
    this.#scheduleMinority();
  }

  #beginScan(mayCloseHour: boolean): number {
    const { clock } = this.#deps;
    if (!this.#isCompacting) this.#compactor.beginScan();
    // A decision that is not written yet holds up results too, so nobody's silence counts meanwhile.
    if (this.#writes.isFull || this.#builder.hasDecisions) {
      this.#interrupted();
      return 0;
    }
    const decisions = this.#clock.beginScan(clock.now(), mayCloseHour);
    this.#builder.noteClock(decisions, clock.monotonic());
    return decisions.some(({ kind }) => kind === 'hour') ? this.state.monitors.size : 0;
  }

  /** Examines up to `limit` monitors whose deadline may have passed, or that have something to be written. */
  #scan(limit: number): number {
    const { clock } = this.#deps;
    const now = clock.now();
    const { decisions, scanned } = this.#clock.scan(now, limit, this.#builder.hasPings);
    this.#scheduleMinority();
    this.#builder.noteClock(decisions, clock.monotonic());
    if (scanned === limit || this.#isCompacting) return scanned;
    const examined = this.#compactor.scan(now, limit - scanned);
    if (scanned + examined < limit) this.#compact(this.#compactor.take());
    return scanned + examined;
  }

  /** Reported once per monitor. */
  #setAside(monitorId: string, now: number): void {
    const item = { kind: 'silent' as const, region: '', at: now };
    const { shard, n } = this.state;
    this.#deps.deadLetters.put([
      failedLetter({ shard, n, taken_at: now }, { monitor_id: monitorId, item, fresh: null }),
    ]);
  }

  #reportCutHours(hours: CutHour[]): void {
    if (hours.length === 0) return;
    const { shard } = this.state;
    this.#deps.deadLetters.put(hours.map((cut) => cutLetter(shard, cut, this.#deps.clock.now())));
    this.#deps.log.error({ shard, hours }, 'an hour has more results than fit in a block; the rest is left out');
  }

  /** Writes due hours, drops monitors deleted long ago, and moves the snapshot behind what is written. */
  #compact(work: CompactionWork): void {
    const { due, gone } = work;
    const isWalkOnly = due.length + gone.length === 0;
    const saved = isWalkOnly ? this.#compactor.done(work) : null;
    if (isWalkOnly && !this.#snapshots.isDue(saved ?? 0)) return;
    this.#isCompacting = true;
    this.#writes.add(async () => {
      const { stores } = this.#deps;
      if (due.length > 0) this.#reportCutHours(await this.#hourWrites.write(due));
      if (gone.length > 0) {
        await stores.certificates.remove(gone);
        await stores.states.remove(gone);
      }
      for (const id of gone) this.state.monitors.delete(id);
      const through = saved ?? this.#compactor.done(work);
      if (through !== null) await this.#snapshots.move(through);
      this.#isCompacting = false;
    });
  }
}
