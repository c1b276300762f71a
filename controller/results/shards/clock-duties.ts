import type { Timer } from '../../../shared/time.ts';
import type { ScanOutcome } from '../clock/clock-scanner.ts';
import { ShardClock } from '../clock/shard-clock.ts';
import { SnapshotCompactor, type CompactionWork } from '../clock/snapshot-compactor.ts';
import { cutLetter, failedLetter } from '../dead-letters/dead-letter.ts';
import type { ClockDecision, JournalEntry } from '../journal/journal-store.ts';
import type { AppliedEntry } from '../state/entry-step.ts';
import type { CutHour } from '../writing/closed-hours.ts';
import { HourWrites } from '../writing/retried-writes.ts';
import type { ShardParts } from './shard-parts.ts';

/** What a shard does because time passes: decisions, minority verdicts, and writing what is complete. */
export class ClockDuties {
  readonly #parts: ShardParts;
  readonly #clock: ShardClock;
  readonly #compactor: SnapshotCompactor;
  readonly #hourWrites: HourWrites;
  #isCompacting = false;
  /** Set while minority verdicts wait to be accepted. */
  #minorityTimer: Timer | null = null;
  /** When the timer fires, monotonic ms. */
  #minorityAt = Infinity;

  constructor(parts: ShardParts) {
    const { deps: { clock, limits, log, stores }, state } = parts;
    this.#parts = parts;
    this.#clock = new ShardClock(
      state, clock.now(), {
        ...limits, monotonic: () => clock.monotonic(),
        onFailed: (monitorId, now) => this.#setAside(monitorId, now),
      },
    );
    this.#hourWrites = new HourWrites({ clock, log, stores, state });
    this.#compactor = new SnapshotCompactor(state, (id) => this.#hourWrites.canWrite(id));
  }

  /** Monitors whose hours the database refuses. */
  get setAsideCount(): number {
    return this.#hourWrites.setAsideCount;
  }

  applied(entry: JournalEntry, applied: AppliedEntry): void {
    this.#clock.applied(entry, applied);
    this.#scheduleMinority();
  }

  /** All pings stored by `at` (Unix ms) were read. */
  pingsPolled(at: number): void {
    this.#clock.pingsPolled(at);
  }

  /** Silence until now does not count. */
  interrupted(): void {
    this.#clock.interrupted(this.#parts.deps.clock.now());
  }

  acceptMinorities(): void {
    this.#minorityAt = Infinity;
    this.#note(this.#clock.takeMinorityVerdicts(this.#parts.deps.clock.now()));
    this.#scheduleMinority();
  }

  /** Returns the number of monitors accounted at once because their hour is over. */
  beginScan(mayCloseHour: boolean): number {
    const { deps: { clock }, state: { monitors }, builder, writes, catchingUp } = this.#parts;
    if (!this.#isCompacting && !catchingUp) this.#compactor.beginScan();
    // While decisions are not written, results are delayed too, so silence must not count.
    if (writes.isFull || builder.hasDecisions) {
      this.interrupted();
      return 0;
    }
    const decisions = this.#clock.beginScan(clock.now(), mayCloseHour);
    this.#note(decisions);
    return decisions.some(({ kind }) => kind === 'hour') ? monitors.size : 0;
  }

  /** Examines up to `limit` monitors that may have an expired deadline or pending writes. */
  scan(limit: number): ScanOutcome {
    const { deps: { clock }, builder, catchingUp } = this.#parts;
    const now = clock.now();
    const { decisions, scanned } = this.#clock.scan(now, limit, builder.hasPings);
    this.#scheduleMinority();
    this.#note(decisions);
    const isWriting = this.#isCompacting;
    if (scanned === limit || isWriting || catchingUp) return { scanned, isWriting };
    const examined = this.#compactor.scan(now, limit - scanned);
    if (scanned + examined < limit) this.#compact(this.#compactor.take());
    return { scanned: scanned + examined, isWriting: this.#isCompacting };
  }

  stop(): void {
    this.#minorityTimer?.cancel();
  }

  #note(decisions: ClockDecision[]): void {
    this.#parts.builder.noteClock(decisions, this.#parts.deps.clock.monotonic());
  }

  #scheduleMinority(): void {
    const { deps: { clock }, context } = this.#parts;
    const dueAt = this.#clock.minorityDueAt;
    if (dueAt === null || dueAt >= this.#minorityAt) return;
    const waitMs = Math.max(0, dueAt - clock.monotonic());
    this.#minorityTimer?.cancel();
    this.#minorityAt = dueAt;
    this.#minorityTimer = clock.setTimer(waitMs, () => context.enqueue({ kind: 'minorityDue' }));
  }

  /** Reported once per monitor. */
  #setAside(monitorId: string, now: number): void {
    const { deps: { deadLetters }, state: { shard, n } } = this.#parts;
    const item = { kind: 'silent' as const, region: '', at: now };
    deadLetters.put([
      failedLetter({ shard, n, taken_at: now }, { monitor_id: monitorId, item, fresh: null }),
    ]);
  }

  #reportCutHours(hours: CutHour[]): void {
    if (hours.length === 0) return;
    const { deps: { clock, deadLetters, log }, state: { shard } } = this.#parts;
    deadLetters.put(hours.map((cut) => cutLetter(shard, cut, clock.now())));
    log.error({ shard, hours }, 'an hour has more results than fit in a block; the rest is left out');
  }

  /** Writes due hours, drops monitors deleted long ago, and moves the snapshot up to what is written. */
  #compact(work: CompactionWork): void {
    const { deps: { stores }, state, snapshots, writes } = this.#parts;
    const { due, gone } = work;
    const isWalkOnly = due.length + gone.length === 0;
    const saved = isWalkOnly ? this.#compactor.done(work) : null;
    if (isWalkOnly && !snapshots.isDue(saved ?? 0)) return;
    this.#isCompacting = true;
    writes.add(async () => {
      if (due.length > 0) this.#reportCutHours(await this.#hourWrites.write(due));
      if (gone.length > 0) {
        await stores.certificates.remove(gone);
        await stores.features.remove(gone);
        await stores.targetChanges.forget(gone);
        await stores.states.remove(gone);
      }
      for (const id of gone) state.monitors.delete(id);
      const through = saved ?? this.#compactor.done(work);
      if (through !== null) await snapshots.move(through);
      this.#isCompacting = false;
    });
  }
}
