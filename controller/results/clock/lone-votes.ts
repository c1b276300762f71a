import { ALONE_AFTER_MS, needsHelp } from '../../verdicts/status-rules.ts';
import type { ClockDecision } from '../journal/journal-entry.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';

/** Limit of decisions at a time; the rest follows at once. */
const MOST_DECISIONS = 500;

/** Monitors that too few regions call down, and since when (Unix ms) that is known here. */
export class LoneVotes {
  readonly #monitors: ReadonlyMap<string, LiveMonitor>;
  /** First come first. */
  readonly #since = new Map<string, number>();

  constructor(monitors: ReadonlyMap<string, LiveMonitor>) {
    this.#monitors = monitors;
  }

  /** Notes the monitor if it needs help now. */
  note(monitorId: string, now: number): void {
    if (this.#needsHelp(monitorId) && !this.#since.has(monitorId)) this.#since.set(monitorId, now);
  }

  /** While nothing is taken, nobody can have their say. */
  interrupted(now: number): void {
    for (const id of this.#since.keys()) this.#since.set(id, now);
  }

  /** When the next one is due, Unix ms; null without any. */
  get dueAt(): number | null {
    const since = this.#since.values().next().value;
    return since === undefined ? null : since + ALONE_AFTER_MS;
  }

  /** Believes those that have been alone for long enough. */
  takeDue(now: number): ClockDecision[] {
    const decisions: ClockDecision[] = [];
    for (const [id, since] of this.#since) {
      if (since + ALONE_AFTER_MS > now || decisions.length === MOST_DECISIONS) break;
      this.#since.delete(id);
      if (this.#needsHelp(id)) decisions.push({ kind: 'alone', monitor_id: id, at: now });
    }
    return decisions;
  }

  #needsHelp(monitorId: string): boolean {
    const state = this.#monitors.get(monitorId)?.state;
    try {
      return state !== undefined && !state.alone && needsHelp(state);
    } catch {
      // The monitor's own rules set aside what is wrong with it.
      return false;
    }
  }
}
