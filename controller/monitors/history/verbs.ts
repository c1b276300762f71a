import { AppError } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { ResultQuery } from '../../results/reading/history/history-page.ts';
import type { MonitorDeps } from '../deps.ts';
import { daysOf, liveOf, loadMonitor } from '../verbs/read-monitors.ts';
import { SERIES_DAYS } from './responses.ts';

const DAY_MS = 86_400_000;
/** No plan keeps results longer. */
const MAX_RESULT_AGE_MS = 400 * DAY_MS;

const NO_REGIONS = { assigned: [], domains: null };

interface Page {
  limit: number;
  before?: number | undefined;
}

/** Newest first. Throws MONITOR_NOT_FOUND. */
export async function readStatusHistory(deps: MonitorDeps, ctx: ProjectContext, id: string, page: Page) {
  await loadMonitor(deps, ctx, id);
  return deps.readers.history.statusSpans(id, page.before ?? Number.MAX_SAFE_INTEGER, page.limit);
}

type ResultFilter = Pick<ResultQuery, 'region' | 'limit' | 'cursor'> & {
  success?: boolean | undefined;
  from?: number | undefined;
  to?: number | undefined;
};

/** Newest first. Throws MONITOR_NOT_FOUND, VALIDATION_ERROR for an invalid cursor. */
export async function readResults(deps: MonitorDeps, ctx: ProjectContext, id: string, filter: ResultFilter) {
  const { success: isSuccess, from: requestedFrom = 0, to = ctx.now + DAY_MS, ...rest } = filter;
  const doc = await loadMonitor(deps, ctx, id);
  const from = Math.max(requestedFrom, doc.created_at - DAY_MS, ctx.now - MAX_RESULT_AGE_MS);
  return deps.readers.history.results(id, { isSuccess, from, to, ...rest });
}

/**
 * The monitor with its live state. `runsIn` has its regions, each with the reason why it cannot vote, or
 * null. Throws MONITOR_NOT_FOUND.
 */
export async function readRegions(deps: MonitorDeps, ctx: ProjectContext, id: string) {
  const doc = await loadMonitor(deps, ctx, id);
  const isChecked = doc.type !== 'HEARTBEAT';
  const [live, { assigned, domains }] =
    await Promise.all([liveOf(deps, doc), isChecked ? deps.runner.assignedOf(doc) : NO_REGIONS]);
  const runsIn = new Map(assigned.map((region) => [region, deps.runner.noVoteReason(region)]));
  return { doc, live, runsIn, domains };
}

/** The latest certificate, and the one that each region sees. Throws MONITOR_NOT_FOUND, STATS_NOT_FOUND. */
export async function readCertificate(deps: MonitorDeps, ctx: ProjectContext, id: string) {
  const doc = await loadMonitor(deps, ctx, id);
  const certificate = await deps.readers.certificates.read(doc._id);
  if (certificate === null) {
    throw new AppError('STATS_NOT_FOUND', 'No check of this monitor has seen a certificate yet');
  }
  return certificate;
}

/** By region. Throws INVALID_PERIOD, MONITOR_NOT_FOUND. */
export async function readResponseTimes(deps: MonitorDeps, ctx: ProjectContext, id: string, period: string) {
  const days = daysOf(SERIES_DAYS, period);
  await loadMonitor(deps, ctx, id);
  return deps.readers.history.responseTimes(id, days);
}
