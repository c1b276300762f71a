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
  #isBroken = true;
  #decidedAt: number | null = null;
  /** All pings that were stored before this are taken, Unix ms. */
  #lookedAt = 0;

  /** Something that pings need did not work. */
  interrupted(): void {
    this.#isBroken = true;
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
    if (this.#isBroken || now - since > LONGEST_BREAK_MS) {
      this.#isBroken = false;
      return [{ kind: 'unwatched', from: since, until: now }];
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
