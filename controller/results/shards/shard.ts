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

/** Entries per read while a journal is replayed. */
const READ_BATCH_SIZE = 100;
/** How often a shard's entry is written in normal operation. */
const FLUSH_INTERVAL_MS = 1000;
/** Delay before a shard with too many outstanding writes builds its next entry. */
const FULL_QUEUE_RETRY_MS = 200;

export interface ShardStores extends OutboxPorts, SnapshotMoverStores {
  journal: Pick<JournalStore, 'insert' | 'read' | 'deleteThrough'>;
  hours: Pick<HourStore, 'read' | 'write' | 'rollDays'>;
}

/** Listeners are isolated: one that throws affects neither the shard nor the others. */
export interface ShardListeners {
  /** Called with each final entry; `replayed` while the shard is loaded. */
  onApplied: ((state: ShardState, applied: AppliedEntry, replayed: boolean) => void)[];
  /** Called with configurations that are now journaled. */
  onConfigs(configs: MonitorConfig[]): void;
}

/** Counters since the start of this controller, over all its shards. */
export interface IngestCounts {
  entries: number;
  results: number;
  voided: number;
  insert_failures: number;
  /** Listener calls that threw. */
  listener_failures: number;
  /** Entries whose contents were set aside because they could not be read, applied or written. */
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
  /** True for an entry that crashed an earlier instance while it was loaded. */
  isPoison(n: number): boolean;
}

/** One instance of a loaded shard: its input, its state, and its outstanding writes. */
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
  /** Set while minority verdicts wait to be accepted. */
  #minorityTimer: Timer | null = null;
  /** When the timer fires, monotonic ms. */
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
   * Loads a shard: its snapshot, its monitors' states and pending effects, and the journal after the
   * snapshot.
   * @throws NewerFormatError; Error if the database did not respond or the journal moved meanwhile (retry).
   */
  static async load(
    shard: number, writer: string, deps: ShardDeps, context: ActorContext<ShardMessage>,
  ): Promise<Shard> {
    const { stores } = deps;
    const snapshot = await stores.snapshots.load(shard);
    const records = await stores.states.load(shard);
    const state = new ShardState(shard, snapshot, records);
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

  /** Flushes the queue. The next instance writes what the database does not accept now. */
  async close(): Promise<void> {
    this.#minorityTimer?.cancel();
    await this.#writes.stop();
    await this.#monitorWrites.stop();
  }

  /** Monitors of this shard that the database currently refuses. Each is retried separately. */
  get setAside(): number {
    return this.#monitorWrites.aside + this.#hourWrites.setAsideCount;
  }

  /** Carries out effects that an earlier instance stored but did not finish. */
  #carryOut(records: StateRecord[]): Promise<void> {
    for (const { monitor_id: id } of records) (this.state.monitors.get(id) as LiveMonitor).queued += 1;
    return this.#monitorWrites.write(records);
  }

  async #replay(): Promise<void> {
    const { journal, snapshots } = this.#deps.stores;
    const { shard } = this.state;
    for (;;) {
      const entries = await journal.read(shard, this.state.n, READ_BATCH_SIZE);
      // An entry below the snapshot may come from a stalled former owner that reused a free number; it does
      // not count.
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

  /** Applies an entry that crashed an earlier instance without its contents, which become dead letters. */
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

  /** A message that throws is set aside, so that it does not block other results. */
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

  /** Records the ends of ongoing outages' incidents; returns the incidents of the others. */
  #noteManualEnds(ends: ManualEnd[]): string[] {
    const isNew = ({ monitor_id: id, incident_id: incidentId }: ManualEnd): boolean => {
      const monitor = this.state.monitors.get(id);
      return monitor !== undefined && isOngoing(monitor.state, incidentId);
    };
    const decisions = ends.filter(isNew).map((end) => ({ kind: 'manual_end' as const, ...end }));
    this.#builder.noteClock(decisions, this.#deps.clock.monotonic());
    return ends.filter((end) => !isNew(end)).map((end) => end.incident_id);
  }

  /** Schedules the write of the next entry. */
  #schedule(): void {
    const { waitingSince, isUrgent, inFlight } = this.#builder;
    // The outcome of the entry in flight comes first.
    if (waitingSince === null || inFlight) return;
    const now = this.#deps.clock.monotonic();
    const at = isUrgent ? now : waitingSince + FLUSH_INTERVAL_MS;
    this.#deps.journal.schedule(
      this.#context.self, this.#writes.isFull ? Math.max(at, now + FULL_QUEUE_RETRY_MS) : at,
    );
  }

  /** Fences other owners, together with the insert: an entry below the snapshot's was written before. */
  #settle(outcome: InsertOutcome, snapshotN: number): void {
    const { counts, listeners } = this.#deps;
    const entry = this.#builder.inFlight;
    if (!entry) return;
    if (outcome === 'refused') return this.#refused(entry);
    if (outcome === 'taken' || snapshotN >= entry.n) {
      counts.voided += 1;
      throw new OvertakenError(`another controller has written shard ${entry.shard}`);
    }
    const applied = this.#apply(entry);
    this.#builder.settled();
    // Separate, so that results in the same entry do not wait for the write.
    const { changed } = applied;
    if (changed.length > 0) this.#writes.add(() => this.#monitorWrites.write(changed));
    counts.entries += 1;
    counts.results += applied.fresh.length;
    this.#announce(applied, false);
    if (entry.configs.length > 0) this.#callListener(() => listeners.onConfigs(entry.configs));
  }

  /** Retries the entry without its results. A shard whose entry has none is reloaded. */
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
    // While decisions are not written, results are delayed too, so silence must not count.
    if (this.#writes.isFull || this.#builder.hasDecisions) {
      this.#interrupted();
      return 0;
    }
    const decisions = this.#clock.beginScan(clock.now(), mayCloseHour);
    this.#builder.noteClock(decisions, clock.monotonic());
    return decisions.some(({ kind }) => kind === 'hour') ? this.state.monitors.size : 0;
  }

  /** Examines up to `limit` monitors that may have an expired deadline or pending writes. */
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

  /** Writes due hours, drops monitors deleted long ago, and moves the snapshot up to what is written. */
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
