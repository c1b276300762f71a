import type { MonitorState } from '../../verdicts/monitor-state.ts';
import type { ClockDecision } from '../journal/journal-entry.ts';

/** Where heartbeats are, the journal says so often at least that all is well: it tells a successor how long nobody watched. */
const QUIET_MS = 4000;
/** A longer time without an entry or a decision was no watching. */
const LONGEST_BREAK_MS = 12_000;
/** A ping that was received before a deadline is in its collection this much after it at the latest, or was not answered in time. */
const SLACK_MS = 3000;

/** Knows whether pings of one shard are taken without a break, and decides by that which heartbeats are overdue. */
export class HeartbeatWatch {
  /** Until when all was well before the present break, Unix ms; null while there is none. */
  #brokenFrom: number | null = null;
  #decidedAt: number | null = null;
  /** All pings that were stored before this are taken, Unix ms. */
  #lookedAt = 0;
  #mayDecide = false;

  /**
   * Something that pings need did not work, or the shard was loaded: `takenAt`, the time of its latest entry (Unix ms), is the last
   * at which somebody watched. Not what is written once it works again, which may come before the next decision.
   */
  interrupted(takenAt: number): void {
    this.#brokenFrom ??= Math.min(takenAt, this.#decidedAt ?? takenAt);
    this.#mayDecide = false;
  }

  /** All pings that were in their collection at `at`, Unix ms, are on their way into the journal or in it. */
  looked(at: number): void {
    this.#lookedAt = Math.max(this.#lookedAt, at);
  }

  /** What a round says of all heartbeats of the shard, if there are any, before it looks at each. */
  beginRound({ takenAt, now, hasWaiting }: { takenAt: number; now: number; hasWaiting: boolean }): ClockDecision[] {
    const since = Math.min(takenAt, this.#decidedAt ?? takenAt);
    this.#decidedAt = now;
    this.#mayDecide = false;
    if (!hasWaiting) return [];
    if (this.#brokenFrom !== null || now - since > LONGEST_BREAK_MS) {
      const from = this.#brokenFrom ?? since;
      this.#brokenFrom = null;
      return [{ kind: 'unwatched', from: Math.floor(from), until: Math.ceil(now) }];
    }
    this.#mayDecide = true;
    return now - takenAt >= QUIET_MS ? [{ kind: 'watched' }] : [];
  }

  /** Whether this heartbeat is overdue, as far as the round may say so. */
  overdue(state: MonitorState): ClockDecision[] {
    const at = this.#mayDecide ? dueAt(state) : null;
    return at === null || at > this.#lookedAt ? [] : [{ kind: 'overdue', monitor_id: state.config.monitor_id, at: at - SLACK_MS }];
  }
}

/** When a heartbeat is overdue if no ping comes, Unix ms; null when none is waited for. */
export function dueAt(state: MonitorState): number | null {
  return isWaiting(state) && state.status !== 'down' ? (state.heartbeat?.deadline ?? 0) + SLACK_MS : null;
}

/** Whether a monitor waits for pings. */
export function isWaiting({ heartbeat, config }: MonitorState): boolean {
  return heartbeat !== undefined && config.status === 'active';
}
