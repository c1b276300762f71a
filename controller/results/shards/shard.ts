import type { ActorContext, Behaviour } from '../../../shared/actor/actor.ts';
import type { Clock, Timer } from '../../../shared/time.ts';
import type { Log } from '../../../shared/log.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import { isOngoing } from '../../verdicts/reopen-rules.ts';
import { ShardClock } from '../clock/shard-clock.ts';
import { Tidying, type TidyWork } from '../clock/tidying.ts';
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
const READ_ENTRIES = 100;
/** While all is well a shard's entry is written this often. */
const FLUSH_MS = 1000;
/** A shard whose derived writes lag is asked for an entry again after this. */
const BEHIND_MS = 200;

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
  readonly #tidying: Tidying;
  readonly #writes: WriteQueue;
  readonly #monitorWrites: MonitorWrites;
  readonly #hourWrites: HourWrites;
  readonly #snapshots: SnapshotMover;
  #isTidying = false;
  /** Set while regions that are too few wait to be believed. */
  #aloneTimer: Timer | null = null;
  /** When it fires, monotonic ms. */
  #aloneAt = Infinity;

  private constructor(
    deps: ShardDeps, context: ActorContext<ShardMessage>, state: ShardState, writer: string,
  ) {
    const { clock, log, stores, limits } = deps;
    this.#deps = deps;
    this.#context = context;
    this.state = state;
    this.writer = writer;
    this.#builder = new EntryBuilder(
      state, writer, limits, (message) => context.tell({ kind: 'batch', message }),
    );
    this.#clock = new ShardClock(
      state, clock.now(), {
        monotonic: () => clock.monotonic(),
        onFailed: (monitorId, now) => this.#setAside(monitorId, now),
        assigned: (config) => limits.assigned(config),
        hasVote: (probeId) => limits.hasVote(probeId),
        hasLiveProbe: (region) => limits.hasLiveProbe(region),
        canBeHelped: (monitor) => limits.canBeHelped(monitor),
        noDataAfterMs: limits.noDataAfterMs,
      },
    );
    this.#tidying = new Tidying(state, (id) => this.#hourWrites.mayTry(id));
    this.#writes = new WriteQueue({ clock, log, shard: state.shard });
    this.#monitorWrites = new MonitorWrites({
      clock, log, stores, onWritten: ({ monitor_id: id, position }) => this.#written(id, position),
    });
    this.#hourWrites = new HourWrites({ clock, log, stores, state });
    this.#snapshots = new SnapshotMover({ clock, stores, longestRawMs: limits.longestRawMs, state });
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
        message.answer(
          message.configs.filter((config) => this.#isJournaled(config)).map((config) => config.monitor_id),
        );
        break;
      case 'pings':
        this.#notePings(message.pings, message.lookedAt);
        message.answer(
          message.pings.flatMap((ping) => (this.state.monitors.has(ping.monitor_id) ? [] : [ping.id])),
        );
        break;
      case 'manualEnds':
        message.answer(this.#noteManualEnds(message.ends));
        break;
      case 'pingsRemoved':
        for (const id of message.ids) this.state.pings.delete(id);
        return;
      case 'nextEntry':
        message.answer(this.#writes.isBehind ? null : this.#builder.nextEntry(this.#deps.clock.now()));
        break;
      case 'inserted':
        this.#settle(message.outcome, message.snapshotN);
        message.answer();
        break;
      case 'witness':
        this.#builder.noteClock([message.word], this.#deps.clock.monotonic());
        break;
      case 'alone':
        this.#believeAlone();
        break;
      case 'interrupted':
        return this.#interrupted();
      case 'beginRound':
        message.answer(this.#beginRound(message.mayCloseHour));
        break;
      case 'look':
        message.answer({ looks: this.#look(message.limit), isWriting: this.#isTidying });
        break;
      case 'read':
        return message.read(this);
    }
    this.#schedule();
  }

  /** Waits for what is queued. What the database does not take now is written by the next life. */
  async close(): Promise<void> {
    this.#aloneTimer?.cancel();
    await this.#writes.stop();
    await this.#monitorWrites.stop();
  }

  /** Monitors of this shard that the database does not take at present; each is retried by itself. */
  get setAside(): number {
    return this.#monitorWrites.aside + this.#hourWrites.aside;
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
      const entries = await journal.read(shard, this.state.n, READ_ENTRIES);
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
      if (entries.length < READ_ENTRIES) return;
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
      this.#tell(() => onApplied(this.state, applied, replayed));
    }
  }

  #tell(listen: () => void): void {
    try {
      listen();
    } catch (error) {
      this.#deps.counts.listener_failures += 1;
      this.#deps.log.error({ err: error, shard: this.state.shard }, 'a listener for results failed');
    }
  }

  #isJournaled(config: MonitorConfig): boolean {
    const known = this.state.monitors.get(config.monitor_id);
    return known !== undefined && known.state.config.revision >= config.revision;
  }

  #notePings(pings: ReceivedPing[], lookedAt: number | null): void {
    const areAllTaken = this.#builder.notePings(pings, this.#deps.clock.monotonic());
    if (areAllTaken && lookedAt !== null) this.#clock.lookedForPings(lookedAt);
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
    const at = isUrgent ? now : waitingSince + FLUSH_MS;
    this.#deps.journal.schedule(
      this.#context.self, this.#writes.isBehind ? Math.max(at, now + BEHIND_MS) : at,
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
    if (entry.configs.length > 0) this.#tell(() => listeners.onConfigs(entry.configs));
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
    this.#awaitAlone();
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

  #awaitAlone(): void {
    const { clock } = this.#deps;
    const dueAt = this.#clock.aloneAt;
    if (dueAt === null || dueAt >= this.#aloneAt) return;
    const waitMs = Math.max(0, dueAt - clock.monotonic());
    this.#aloneTimer?.cancel();
    this.#aloneAt = dueAt;
    this.#aloneTimer = clock.setTimer(waitMs, () => this.#context.tell({ kind: 'alone' }));
  }

  #believeAlone(): void {
    const { clock } = this.#deps;
    this.#aloneAt = Infinity;
    this.#builder.noteClock(this.#clock.takeAlone(clock.now()), clock.monotonic());
    this.#awaitAlone();
  }

  #beginRound(mayCloseHour: boolean): number {
    const { clock } = this.#deps;
    if (!this.#isTidying) this.#tidying.beginRound();
    // A decision that is not written yet holds up results too, so nobody's silence counts meanwhile.
    if (this.#writes.isBehind || this.#builder.hasDecisions) {
      this.#interrupted();
      return 0;
    }
    const decisions = this.#clock.beginRound(clock.now(), mayCloseHour);
    this.#builder.noteClock(decisions, clock.monotonic());
    return decisions.some(({ kind }) => kind === 'hour') ? this.state.monitors.size : 0;
  }

  /** Examines up to `limit` monitors whose deadline may have passed, or that have something to be written. */
  #look(limit: number): number {
    const { clock } = this.#deps;
    const now = clock.now();
    const { decisions, looks } = this.#clock.look(now, limit, this.#builder.hasPings);
    this.#awaitAlone();
    this.#builder.noteClock(decisions, clock.monotonic());
    if (looks === limit || this.#isTidying) return looks;
    const tidied = this.#tidying.look(now, limit - looks);
    if (looks + tidied < limit) this.#tidy(this.#tidying.take());
    return looks + tidied;
  }

  /** Reported once per monitor. */
  #setAside(monitorId: string, now: number): void {
    const item = { kind: 'silent' as const, region: '', at: now };
    const { shard, n } = this.state;
    this.#deps.deadLetters.put([
      failedLetter({ shard, n, taken_at: now }, { monitor_id: monitorId, item, fresh: null }),
    ]);
  }

  #tellCut(hours: CutHour[]): void {
    if (hours.length === 0) return;
    const { shard } = this.state;
    this.#deps.deadLetters.put(hours.map((cut) => cutLetter(shard, cut, this.#deps.clock.now())));
    this.#deps.log.error({ shard, hours }, 'an hour has more results than fit in a block; the rest is left out');
  }

  /** Writes due hours, drops monitors deleted long ago, and moves the snapshot behind what is written. */
  #tidy(work: TidyWork): void {
    const { due, gone } = work;
    const isWalkOnly = due.length + gone.length === 0;
    const saved = isWalkOnly ? this.#tidying.done(work) : null;
    if (isWalkOnly && !this.#snapshots.isDue(saved ?? 0)) return;
    this.#isTidying = true;
    this.#writes.add(async () => {
      const { stores } = this.#deps;
      if (due.length > 0) this.#tellCut(await this.#hourWrites.write(due));
      if (gone.length > 0) {
        await stores.certificates.remove(gone);
        await stores.states.remove(gone);
      }
      for (const id of gone) this.state.monitors.delete(id);
      const through = saved ?? this.#tidying.done(work);
      if (through !== null) await this.#snapshots.move(through);
      this.#isTidying = false;
    });
  }
}
