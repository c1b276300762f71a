import type { MonitorState } from '../incidents/monitor-state.ts';
import type { ClockDecision } from './journal-entry.ts';
import type { ShardState } from './shard-state.ts';

/** Where heartbeats are, the journal says so often at least that all is well: it tells a successor how long nobody watched. */
const QUIET_MS = 4000;
/** A longer time without an entry or a decision was no watching. */
const LONGEST_BREAK_MS = 12_000;
/** A ping that was received before a deadline is in its collection this much after it at the latest, or was not answered in time. */
const SLACK_MS = 3000;
const MOST_AT_ONCE = 500;

/** Knows whether pings of one shard are taken without a break, and decides by that which heartbeats are overdue. */
export class HeartbeatWatch {
  /** Until when all was well before the present break, Unix ms; null while there is none. */
  #brokenFrom: number | null = null;
  #decidedAt: number | null = null;
  /** All pings that were stored before this are taken, Unix ms. */
  #lookedAt = 0;

  /**
   * Something that pings need did not work, or the shard was loaded: `takenAt`, the time of its latest entry (Unix ms), is the last
   * at which somebody watched. Not what is written once it works again, which may come before the next decision.
   */
  interrupted(takenAt: number): void {
    this.#brokenFrom ??= Math.min(takenAt, this.#decidedAt ?? takenAt);
  }

  /** All pings that were in their collection at `at`, Unix ms, are on their way into the journal or in it. */
  looked(at: number): void {
    this.#lookedAt = Math.max(this.#lookedAt, at);
  }

  /** What the clock says of the shard's heartbeats. `hasPings`: pings are on their way into the journal. */
  decide(state: ShardState, now: number, hasPings: boolean): ClockDecision[] {
    const since = Math.min(state.takenAt, this.#decidedAt ?? state.takenAt);
    this.#decidedAt = now;
    const waiting = [...state.monitors.values()].map((cell) => cell.state).filter(isWaiting);
    if (waiting.length === 0) return [];
    if (this.#brokenFrom !== null || now - since > LONGEST_BREAK_MS) {
      const from = this.#brokenFrom ?? since;
      this.#brokenFrom = null;
      return [{ kind: 'unwatched', from: Math.floor(from), until: Math.ceil(now) }];
    }
    const quiet: ClockDecision[] = now - state.takenAt >= QUIET_MS ? [{ kind: 'watched' }] : [];
    return hasPings ? quiet : [...quiet, ...this.#overdue(waiting)];
  }

  #overdue(waiting: MonitorState[]): ClockDecision[] {
    const decisions: ClockDecision[] = [];
    for (const { config, status, heartbeat } of waiting) {
      if (!heartbeat || status === 'down' || heartbeat.deadline + SLACK_MS > this.#lookedAt) continue;
      decisions.push({ kind: 'overdue', monitor_id: config.monitor_id, at: heartbeat.deadline });
      if (decisions.length === MOST_AT_ONCE) break;
    }
    return decisions;
  }
}

function isWaiting({ heartbeat, config }: MonitorState): boolean {
  return heartbeat !== undefined && config.status === 'active';
}
