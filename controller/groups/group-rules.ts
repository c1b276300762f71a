import { AppError } from '../../shared/errors.ts';
import type { MonitorLive } from '../results/reading/live.ts';
import type { PeriodStats } from '../results/reading/periods.ts';
import type { GroupMember } from './ports.ts';

const MOST_ON_PAGE = 100;

/** Page and limit of a list. Throws INVALID_PAGE, INVALID_LIMIT. */
export function pageOf(query: { page: string; limit: string }): { page: number; limit: number; skip: number } {
  const page = wholeNumber(query.page);
  if (page === null || page < 1) throw new AppError('INVALID_PAGE', 'Page must be a positive whole number');
  const limit = wholeNumber(query.limit);
  if (limit === null || limit < 1 || limit > MOST_ON_PAGE) throw new AppError('INVALID_LIMIT', `Limit must be a whole number from 1 to ${MOST_ON_PAGE}`);
  return { page, limit, skip: (page - 1) * limit };
}

function wholeNumber(text: string): number | null {
  return /^\d{1,12}$/.test(text) ? Number(text) : null;
}

export type RuntimeStatus = MonitorLive['status'];
export type GroupHealth = 'healthy' | 'degraded' | 'down' | 'unknown';

/** Health now: what is not active is `paused`, and of which nothing was heard `unknown`. */
export function runtimeStatusOf(member: Pick<GroupMember, 'status'>, live: MonitorLive | undefined): RuntimeStatus {
  if (member.status !== 'active') return 'paused';
  return live === undefined || live.status === 'paused' ? 'unknown' : live.status;
}

/** `down`: all monitors fail; `unknown`: there are none. */
export function healthOf(monitors: number, failing: number): GroupHealth {
  if (monitors === 0) return 'unknown';
  if (failing === 0) return 'healthy';
  return failing === monitors ? 'down' : 'degraded';
}

/** Means over monitors, each weighing the same; those without a figure are left out. */
export class MonitorMeans {
  #uptimes = 0;
  #uptimeCount = 0;
  #times = 0;
  #timeCount = 0;

  add(stats: PeriodStats | null): void {
    const { uptime_percentage: uptime = null, avg_response_time: time = null } = stats ?? {};
    if (uptime !== null) {
      this.#uptimes += uptime;
      this.#uptimeCount += 1;
    }
    if (time !== null) {
      this.#times += time;
      this.#timeCount += 1;
    }
  }

  /** Percent; 0 when nothing was watched. */
  get uptime(): number {
    return this.#uptimeCount === 0 ? 0 : Math.min(100, this.#uptimes / this.#uptimeCount);
  }

  /** ms; 0 without any successful check. */
  get responseTime(): number {
    return this.#timeCount === 0 ? 0 : this.#times / this.#timeCount;
  }
}
