import type { MonitorState } from '../../verdicts/monitor-state.ts';
import { overdueAt } from '../../verdicts/status/heartbeat-rules.ts';
import { nextDueAt } from '../../work/cron-schedule.ts';
import type { ClockDecision } from '../journal/journal-store.ts';

/**
 * A shard with heartbeats writes at least this often, so that its next owner can tell how long it was
 * unmonitored.
 */
const IDLE_WRITE_INTERVAL_MS = 4000;
/** After a longer time without an entry or a decision, the shard counts as unmonitored. */
const MAX_BREAK_MS = 12_000;
/** A ping received before a deadline is stored within this time after it, or its request fails. */
const SLACK_MS = 3000;

/** Tracks whether one shard processes pings without interruption, and thus which heartbeats are overdue. */
export class HeartbeatTracker {
  /** When the current interruption began, Unix ms; null without any. */
  #brokenFrom: number | null = null;
  #decidedAt: number | null = null;
  /** All pings stored before this were read, Unix ms. */
  #polledAt = 0;
  #mayDecide = false;

  /**
   * Input for pings failed, or the shard was loaded. It was last monitored at `takenAt`, the time of its
   * latest entry (Unix ms); entries written after the failure do not count.
   */
  interrupted(takenAt: number): void {
    this.#brokenFrom ??= Math.min(takenAt, this.#decidedAt ?? takenAt);
    this.#mayDecide = false;
  }

  /** All pings stored by `at` (Unix ms) are journaled or queued for the journal. */
  polled(at: number): void {
    this.#polledAt = Math.max(this.#polledAt, at);
  }

  /** Decisions about all heartbeats of the shard, made before each one is scanned. */
  beginScan(
    { takenAt, now, hasWaiting }: { takenAt: number; now: number; hasWaiting: boolean },
  ): ClockDecision[] {
    const since = Math.min(takenAt, this.#decidedAt ?? takenAt);
    this.#decidedAt = now;
    this.#mayDecide = false;
    if (!hasWaiting) {
      // Nobody's ping was lost. The first heartbeat must not inherit the interruption at the shard's start.
      this.#brokenFrom = null;
      return [];
    }
    if (this.#brokenFrom !== null || now - since > MAX_BREAK_MS) {
      const from = this.#brokenFrom ?? since;
      this.#brokenFrom = null;
      return [{ kind: 'unwatched', from: Math.floor(from), until: Math.ceil(now) }];
    }
    this.#mayDecide = true;
    return now - takenAt >= IDLE_WRITE_INTERVAL_MS ? [{ kind: 'watched' }] : [];
  }

  /** The decision that this heartbeat is overdue, or what it waits for instead, if this scan may make it. */
  overdue(state: MonitorState): ClockDecision[] {
    const at = this.#mayDecide ? dueAt(state) : null;
    if (at === null || at > this.#polledAt) return [];
    const { monitor_id, heartbeat } = state.config;
    const lostUntil = state.heartbeat?.lost_until;
    if (lostUntil === undefined || !heartbeat?.schedule) return [{ kind: 'overdue', monitor_id, at: at - SLACK_MS }];
    const due = nextDueAt(heartbeat.schedule, lostUntil) ?? lostUntil + heartbeat.interval_ms;
    return [{ kind: 'due', monitor_id, at: due }];
  }
}

/** When the heartbeat becomes overdue, Unix ms; null if no ping is due. */
export function dueAt(state: MonitorState): number | null {
  const { heartbeat, status } = state;
  return heartbeat && isAwaitingPings(state) && status !== 'down' ? overdueAt(heartbeat) + SLACK_MS : null;
}

/** True while a monitor waits for pings. */
export function isAwaitingPings({ heartbeat, config }: MonitorState): boolean {
  return heartbeat !== undefined && config.status === 'active';
}
