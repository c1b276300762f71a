import { sleep } from '../../../shared/time.ts';
import { isDatabaseUnavailable } from '../../platform/mongo/mongo-errors.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import { isOngoing } from '../../verdicts/status/reopen-rules.ts';
import { failedLetter, unreadableLetter } from '../dead-letters/dead-letter.ts';
import type { NextEntry } from '../intake/entry-builder.ts';
import type { ReceivedPing } from '../intake/ping-rules.ts';
import type { TakenMessage } from '../intake/take-limits.ts';
import { type ClockDecision, ENTRY_VERSION, type InsertOutcome, type JournalEntry } from '../journal/journal-store.ts';
import type { AppliedEntry } from '../state/entry-step.ts';
import { JournalGapError } from '../state/shard-state.ts';
import type { ClockDuties } from './clock-duties.ts';
import {
  type Follower, type ManualEnd, NewerFormatError, OvertakenError, PoisonEntryError,
} from './shard-message.ts';
import type { ShardParts } from './shard-parts.ts';

/** How often a shard's entry is written in normal operation. */
const FLUSH_INTERVAL_MS = 1000;
/** Delay before a shard with too many outstanding writes builds its next entry. */
const FULL_QUEUE_RETRY_MS = 200;

/** Takes a shard's input into journal entries, and settles these after they are inserted. */
export class ShardIntake {
  readonly #parts: ShardParts;
  readonly #applier: Pick<EntryApplier, 'apply' | 'announce'>;
  readonly #duties: Pick<ClockDuties, 'pingsPolled'>;

  constructor(
    parts: ShardParts, applier: Pick<EntryApplier, 'apply' | 'announce'>,
    duties: Pick<ClockDuties, 'pingsPolled'>,
  ) {
    this.#parts = parts;
    this.#applier = applier;
    this.#duties = duties;
  }

  /** A message that throws is set aside, so that it does not block other results. */
  take(message: TakenMessage): void {
    const { deps: { clock, deadLetters, log, unknownRegions }, state: { shard }, builder } = this.#parts;
    const now = { wall: clock.now(), monotonic: clock.monotonic() };
    let letter: ReturnType<typeof builder.take>;
    try {
      letter = builder.take(message, now);
    } catch (error) {
      log.error({ err: error, shard, probe: message.probe_id }, 'a batch was set aside');
      letter = unreadableLetter(shard, message, now.wall);
    }
    if (letter === 'unknown_region') unknownRegions.add(message.probe_id, { region: message.region });
    else if (letter) deadLetters.put([letter]);
  }

  /** Returns the ids of the monitors whose configuration is journaled. */
  noteConfigs(configs: MonitorConfig[]): string[] {
    const { deps: { clock }, state: { monitors }, builder } = this.#parts;
    builder.noteConfigs(configs, clock.monotonic());
    return configs.flatMap(({ monitor_id: id, revision }) =>
      ((monitors.get(id)?.state.config.revision ?? -Infinity) >= revision ? [id] : []));
  }

  /** Returns the ids of pings whose monitor is unknown. */
  notePings(pings: ReceivedPing[], polledAt: number | null): string[] {
    const { deps: { clock }, state: { monitors }, builder } = this.#parts;
    const areAllTaken = builder.notePings(pings, clock.monotonic());
    if (areAllTaken && polledAt !== null) this.#duties.pingsPolled(polledAt);
    return pings.flatMap(({ id, monitor_id: monitorId }) => (monitors.has(monitorId) ? [] : [id]));
  }

  /** Records the ends of ongoing outages' incidents; returns the incidents of the others. */
  noteManualEnds(ends: ManualEnd[]): string[] {
    const { monitors } = this.#parts.state;
    const isNew = ({ monitor_id: id, incident_id: incidentId }: ManualEnd): boolean => {
      const monitor = monitors.get(id);
      return monitor !== undefined && isOngoing(monitor.state, incidentId);
    };
    this.noteDecisions(ends.filter(isNew).map((end) => ({ kind: 'manual_end' as const, ...end })));
    return ends.filter((end) => !isNew(end)).map((end) => end.incident_id);
  }

  noteDecisions(decisions: ClockDecision[]): void {
    this.#parts.builder.noteClock(decisions, this.#parts.deps.clock.monotonic());
  }

  nextEntry(): NextEntry | null {
    const { deps: { clock }, builder, writes } = this.#parts;
    return writes.isFull ? null : builder.nextEntry(clock.now());
  }

  /** Schedules the write of the next entry. */
  schedule(): void {
    const { deps: { clock, journal }, context, builder, writes } = this.#parts;
    const { waitingSince, isUrgent, inFlight } = builder;
    // The outcome of the entry in flight comes first.
    if (waitingSince === null || inFlight) return;
    const now = clock.monotonic();
    const at = isUrgent ? now : waitingSince + FLUSH_INTERVAL_MS;
    journal.schedule(context.self, writes.isFull ? Math.max(at, now + FULL_QUEUE_RETRY_MS) : at);
  }

  /** Fences other owners, together with the insert: an entry below the snapshot's was written before. */
  settle(outcome: InsertOutcome, snapshotN: number): void {
    const { deps: { counts }, builder, writes, monitorWrites } = this.#parts;
    const entry = builder.inFlight;
    if (!entry) return;
    if (outcome === 'refused') return this.#refused(entry);
    if (outcome === 'taken' || snapshotN >= entry.n) {
      counts.voided += 1;
      throw new OvertakenError(`another controller has written shard ${entry.shard}`);
    }
    const applied = this.#applier.apply(entry);
    builder.settled();
    // Separate, so that results in the same entry do not wait for the write.
    const { changed } = applied;
    if (changed.length > 0) writes.add(() => monitorWrites.write(changed));
    counts.entries += 1;
    counts.results += applied.fresh.length;
    for (const { result } of applied.fresh) counts.missed_checks += result.missed?.count ?? 0;
    this.#applier.announce(entry, applied, false);
  }

  /** Retries the entry without its results. A shard whose entry has none is reloaded. */
  #refused({ n, shard }: JournalEntry): void {
    const { deps: { clock, counts, journal, log }, context, builder } = this.#parts;
    counts.set_aside += 1;
    log.error({ shard, n }, 'the database rejected a journal entry; its results were set aside');
    if (!builder.setAsideBatches(clock.now())) throw new Error(`entry ${n} is refused without results`);
    journal.schedule(context.self, clock.monotonic());
  }
}

/** Entries per read while a journal is replayed. The first read has few, because they may be large. */
const READ_ENTRIES = { first: 10, max: 100 };
/** Results per read, about: what is decoded at once is collected before it fills the memory. */
const READ_RESULTS = 2000;
/** Pause while the database does not respond. */
const RETRY_READ_MS = 1000;

/** Applies journal entries to a shard's state, and reports them to everything that follows entries. */
export class EntryApplier {
  readonly #parts: ShardParts;
  readonly #duties: Pick<ClockDuties, 'applied'>;
  readonly #followers: Follower[] = [];
  /** How many results were applied. */
  results = 0;

  constructor(parts: ShardParts, duties: Pick<ClockDuties, 'applied'>) {
    this.#parts = parts;
    this.#duties = duties;
  }

  /** Calls `follower` with the results of each entry that is announced from now on. */
  follow(follower: Follower): void {
    this.#followers.push(follower);
  }

  apply(entry: JournalEntry): AppliedEntry {
    const { state, snapshots, catchingUp } = this.#parts;
    const applied = state.apply(entry, catchingUp ? 'states' : 'all');
    if (!catchingUp) snapshots.applied(entry, state.takenAt);
    this.results += applied.fresh.length;
    this.#duties.applied(entry, applied);
    this.#report(entry, applied);
    return applied;
  }

  /**
   * After a load from a checkpoint: adds the results of all entries after the snapshot to their hours.
   * @throws as `replay`
   */
  async catchUp(): Promise<void> {
    const { deps: { clock, untilLoaded }, context: { signal }, state, snapshots } = this.#parts;
    const base = this.#parts.catchingUp;
    for (let limit = READ_ENTRIES.first; base && !signal.aborted && base.n < state.n;) {
      // Alerts of other shards come first.
      await untilLoaded();
      const entries = await this.#read(base.n, limit).catch((error: unknown) => {
        if (!isDatabaseUnavailable(error)) throw error;
        return null;
      });
      if (entries === null) {
        await sleep(clock, RETRY_READ_MS);
        continue;
      }
      // The next one may be inserted and not yet final.
      const final = entries.filter(({ n }) => n <= state.n);
      if (final.length === 0) throw new JournalGapError(`no journal entry after ${base.n}`);
      for (const entry of final) {
        this.#report(entry, this.#applyAgain(entry, (whole) => base.apply(whole, 'rows')));
        snapshots.applied(entry, base.takenAt);
      }
      limit = entriesPerRead(final);
    }
    if (!signal.aborted) this.#parts.catchingUp = null;
  }

  #report(entry: JournalEntry, applied: AppliedEntry): void {
    const { deps: { counts, deadLetters, log, lostLanes } } = this.#parts;
    const { shard, n, unread = [], taken_at: takenAt } = entry;
    if (applied.dropped.length > 0) lostLanes.report(entry, applied.dropped);
    const letters = [
      ...applied.failed.map((failed) => failedLetter(entry, failed)),
      ...unread.map((batch) => unreadableLetter(shard, batch, takenAt)),
    ];
    if (letters.length > 0) deadLetters.put(letters);
    if (unread.length > 0) {
      counts.set_aside += 1;
      log.error({ shard, n, batches: unread.length }, 'a journal entry can only be read in part');
    }
  }

  /** Calls the listeners with an entry that is now final. */
  announce(entry: JournalEntry, applied: AppliedEntry, replayed: boolean): void {
    const { deps: { listeners }, state } = this.#parts;
    for (const onApplied of listeners.onApplied) {
      this.#callListener(() => onApplied(state, applied, replayed));
    }
    for (const follower of this.#followers) this.#callListener(() => follower(applied.fresh));
    if (!replayed && entry.configs.length > 0) this.#callListener(() => listeners.onConfigs(entry.configs));
  }

  /** Applies the journal after the snapshot. The next entries are read while some are applied. */
  async replay(): Promise<void> {
    const { state, monitorWrites } = this.#parts;
    for (let limit = READ_ENTRIES.first, next = this.#read(state.n, limit); ;) {
      const entries = await next;
      const last = entries.at(-1);
      const isEnd = last === undefined || entries.length < limit;
      if (!isEnd) {
        limit = entriesPerRead(entries);
        next = this.#read(last.n, limit);
        // It may reject while entries are applied, before it is awaited.
        next.catch(() => undefined);
      }
      for (const entry of entries) {
        const applied = this.#applyAgain(entry, (whole) => this.apply(whole));
        if (applied.changed.length > 0) await monitorWrites.write(applied.changed);
        this.announce(entry, applied, true);
      }
      if (isEnd) return;
    }
  }

  /** Up to `limit` entries after entry `after`. */
  async #read(after: number, limit: number): Promise<JournalEntry[]> {
    const { deps: { stores: { journal, snapshots } }, state: { shard } } = this.#parts;
    const entries = await journal.read(shard, after, limit);
    // An entry below the snapshot may come from a stalled former owner that reused a free number; it does not
    // count.
    const written = (await snapshots.numbers([shard])).get(shard) ?? 0;
    if (written > after) throw new Error(`the snapshot of shard ${shard} has passed entry ${after}`);
    return entries;
  }

  /** Applies an entry that crashed an earlier instance without its contents, which become dead letters. */
  #applyAgain(entry: JournalEntry, apply: (entry: JournalEntry) => AppliedEntry): AppliedEntry {
    if (entry.v > ENTRY_VERSION) {
      throw new NewerFormatError(`shard ${entry.shard} holds a journal entry of format ${entry.v}`);
    }
    try {
      if (!this.#parts.deps.isPoison(entry.n)) return apply(entry);
      const { shard, n, v, writer, taken_at, lanes, batches, unread = [] } = entry;
      const place = { shard, n, v, writer, taken_at, lanes };
      return apply(
        { ...place, configs: [], batches: [], pings: [], clock: [], unread: [...batches, ...unread] },
      );
    } catch (error) {
      throw error instanceof JournalGapError ? error : new PoisonEntryError(entry.n, error);
    }
  }

  #callListener(listen: () => void): void {
    const { deps: { counts, log }, state: { shard } } = this.#parts;
    try {
      listen();
    } catch (error) {
      counts.listener_failures += 1;
      log.error({ err: error, shard }, 'a listener for results failed');
    }
  }
}

/** As many entries as have about READ_RESULTS results, if they are like these. */
function entriesPerRead(entries: readonly JournalEntry[]): number {
  const results = entries.reduce(
    (sum, { batches }) => sum + batches.reduce((count, { batch }) => count + batch.results.length, 0), 0,
  );
  return Math.max(1, Math.min(READ_ENTRIES.max, Math.floor((READ_RESULTS * entries.length) / (results + 1))));
}
