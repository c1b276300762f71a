import { ACCEPT_MINORITY_AFTER_MS, needsMoreVotes } from '../../verdicts/status/status-rules.ts';
import type { ClockDecision } from '../journal/journal-entry.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';
import type { MonitorState } from '../../verdicts/monitor-state.ts';

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
