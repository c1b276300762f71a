import { AppError } from '../../../shared/errors.ts';
import type { RequestContext } from '../../http/route.ts';
import type { MonitorLive } from '../../results/reading/live.ts';
import type { ResultPage, StatusSpan, TimePoint } from '../../results/reading/past.ts';
import type { MonitorDeps } from '../deps.ts';
import { SERIES_DAYS } from '../history/answers.ts';
import { loadMonitor } from './change-monitor.ts';
import { liveOf } from './read-monitors.ts';

const DAY_MS = 86_400_000;
/** No plan keeps results for longer. */
const OLDEST_RESULT_MS = 400 * DAY_MS;

/** Newest first. Throws MONITOR_NOT_FOUND. */
export async function readStatusHistory(
  deps: MonitorDeps, ctx: RequestContext, id: string, page: { before?: number | undefined; limit: number },
): Promise<StatusSpan[]> {
  await loadMonitor(deps, ctx, id);
  return deps.readers.history.statusSpans(id, page.before ?? Number.MAX_SAFE_INTEGER, page.limit);
}

export interface ResultFilter {
  region?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
  success?: boolean | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** Newest first. Throws MONITOR_NOT_FOUND; VALIDATION_ERROR for a cursor that is none. */
export async function readResults(deps: MonitorDeps, ctx: RequestContext, id: string, filter: ResultFilter): Promise<ResultPage> {
  const doc = await loadMonitor(deps, ctx, id);
  const from = Math.max(filter.from ?? 0, doc.created_at - DAY_MS, ctx.now - OLDEST_RESULT_MS);
  const { region, success: isSuccess, limit, cursor } = filter;
  return deps.readers.history.results(id, { region, isSuccess, limit, cursor, from, to: filter.to ?? ctx.now + DAY_MS });
}

/** What is known by region, and the regions that the monitor runs in. Throws MONITOR_NOT_FOUND. */
export async function readRegions(deps: MonitorDeps, ctx: RequestContext, id: string): Promise<{ live: MonitorLive | null; runsIn: string[] }> {
  const doc = await loadMonitor(deps, ctx, id);
  const [live, runsIn] = await Promise.all([liveOf(deps, doc), doc.type === 'HEARTBEAT' ? [] : deps.runner.regionsOf(doc)]);
  return { live, runsIn };
}

/** By region. Throws INVALID_PERIOD, MONITOR_NOT_FOUND. */
export async function readResponseTimes(deps: MonitorDeps, ctx: RequestContext, id: string, period: string): Promise<Map<string, TimePoint[]>> {
  const days = Object.hasOwn(SERIES_DAYS, period) ? SERIES_DAYS[period as keyof typeof SERIES_DAYS] : null;
  if (days === null) throw new AppError('INVALID_PERIOD', `Period must be one of ${Object.keys(SERIES_DAYS).join(', ')}`);
  await loadMonitor(deps, ctx, id);
  return deps.readers.history.responseTimes(id, days);
}
