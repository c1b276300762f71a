import type { MonitorState } from '../../verdicts/monitor-state.ts';
import { ACCEPT_MINORITY_AFTER_MS, needsMoreVotes } from '../../verdicts/status/status-rules.ts';
import type { ClockDecision } from '../journal/journal-store.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';

/** Names to examine in one of the next scans, each once. */
export class ScanQueue {
  readonly #maxScansAhead: number;
  readonly #scans = new Map<number, Set<string>>();
  readonly #scanOf = new Map<string, number>();
  readonly #due = new Set<string>();
  #taking = this.#due.values();
  #scan = 0;

  /** @param maxScansAhead how many scans ahead a name may be put */
  constructor(maxScansAhead: number) {
    this.#maxScansAhead = maxScansAhead;
  }

  get size(): number {
    return this.#due.size + this.#scanOf.size;
  }

  /** Puts a name `scansAhead` (1 or more) ahead, unless it is due earlier. */
  put(name: string, scansAhead: number): void {
    const at = this.#scan + Math.min(this.#maxScansAhead, Math.max(1, Math.ceil(scansAhead)));
    const scheduled = this.#scanOf.get(name);
    if (this.#due.has(name) || (scheduled !== undefined && scheduled <= at)) return;
    if (scheduled !== undefined) this.#scans.get(scheduled)?.delete(name);
    this.#scanOf.set(name, at);
    const names = this.#scans.get(at);
    if (names) names.add(name);
    else this.#scans.set(at, new Set([name]));
  }

  /** Starts the next scan; names left over from this one come first. */
  turn(): void {
    this.#scan += 1;
    for (const name of this.#scans.get(this.#scan) ?? []) {
      this.#due.add(name);
      this.#scanOf.delete(name);
    }
    this.#scans.delete(this.#scan);
    this.#taking = this.#due.values();
  }

  /** Removes a name from this scan; undefined if none is left. */
  take(): string | undefined {
    const { value } = this.#taking.next();
    if (value !== undefined) this.#due.delete(value);
    return value;
  }
}

/** Limit of decisions at a time; the rest follows immediately. */
const MAX_DECISIONS = 500;

/** Monitors that too few regions report as down, and since when (monotonic ms). */
export class MinorityVerdicts {
  readonly #monitors: ReadonlyMap<string, LiveMonitor>;
  readonly #canGetMoreVotes: (state: MonitorState) => boolean;
  readonly #monotonic: () => number;
  /** In insertion order, so the oldest come first. */
  readonly #since = new Map<string, number>();
  /** Monitors for which no more votes can be obtained. */
  readonly #withoutMoreVotes = new Set<string>();

  /** `canGetMoreVotes`: whether another region may still vote in time. */
  constructor(
    monitors: ReadonlyMap<string, LiveMonitor>, canGetMoreVotes: (state: MonitorState) => boolean,
    monotonic: () => number,
  ) {
    this.#monitors = monitors;
    this.#canGetMoreVotes = canGetMoreVotes;
    this.#monotonic = monotonic;
  }

  /** Tracks the monitor if it currently needs more votes. */
  note(monitorId: string): void {
    const state = this.#stateNeedingVotes(monitorId);
    if (!state || this.#since.has(monitorId)) return;
    if (this.#canGetMoreVotes(state)) this.#since.set(monitorId, this.#monotonic());
    else this.#withoutMoreVotes.add(monitorId);
  }

  /** Restarts the wait, because no votes were processed. */
  interrupted(): void {
    const now = this.#monotonic();
    for (const id of this.#since.keys()) this.#since.set(id, now);
  }

  /** When the next one is due, monotonic ms; null without any. */
  get dueAt(): number | null {
    if (this.#withoutMoreVotes.size > 0) return -Infinity;
    const since = this.#since.values().next().value;
    return since === undefined ? null : since + ACCEPT_MINORITY_AFTER_MS;
  }

  /** Accepts the minority verdicts that waited long enough or cannot get more votes. `at`: Unix ms. */
  takeDue(at: number): ClockDecision[] {
    const now = this.#monotonic();
    const decisions: ClockDecision[] = [];
    const accept = (id: string) => {
      if (this.#stateNeedingVotes(id)) decisions.push({ kind: 'alone', monitor_id: id, at });
    };
    for (const id of this.#withoutMoreVotes) {
      if (decisions.length === MAX_DECISIONS) return decisions;
      this.#withoutMoreVotes.delete(id);
      accept(id);
    }
    for (const [id, since] of this.#since) {
      if (since + ACCEPT_MINORITY_AFTER_MS > now || decisions.length === MAX_DECISIONS) break;
      this.#since.delete(id);
      accept(id);
    }
    return decisions;
  }

  /** The monitor's state if it needs more votes. */
  #stateNeedingVotes(monitorId: string): MonitorState | null {
    const state = this.#monitors.get(monitorId)?.state;
    try {
      return state !== undefined && !state.minority_accepted && needsMoreVotes(state) ? state : null;
    } catch {
      // Handled where the monitor's own rules run.
      return null;
    }
  }
}
