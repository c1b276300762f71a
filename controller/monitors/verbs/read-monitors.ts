import { AppError } from '../../../shared/errors.ts';
import { MONITOR_TYPES, type MonitorType } from '../../../shared/contracts/check-spec.ts';
import type { RequestContext } from '../../http/route.ts';
import type { MonitorLive } from '../../results/reading/live.ts';
import type { RecentResult } from '../../results/reading/periods.ts';
import { cellsOf, sumOf } from '../counts/count-rules.ts';
import type { MonitorDeps } from '../deps.ts';
import { planList, type MonitorListQuery } from '../list-rules.ts';
import type { LifecycleStatus, MonitorDoc } from '../monitor.ts';
import { PERIOD_DAYS, type MonitorListInput } from '../schema.ts';
import type { MonitorFacts } from '../views.ts';
import { loadMonitor } from './change-monitor.ts';

/** Nothing is known of the monitor beside its document. */
const UNHEARD = { live: null, stats: null };

/** Throws MONITOR_NOT_FOUND. */
export async function readMonitor(deps: MonitorDeps, ctx: RequestContext, id: string): Promise<{ doc: MonitorDoc; live: MonitorLive | null }> {
  const doc = await loadMonitor(deps, ctx, id);
  return { doc, live: await liveOf(deps, doc) };
}

/** The current state of one monitor; null when nobody has heard of it yet. */
export async function liveOf(deps: MonitorDeps, doc: MonitorDoc): Promise<MonitorLive | null> {
  return (await deps.readers.live.states([doc._id])).get(doc._id) ?? null;
}

/** One page of the project's monitors with what is known of each, and how many there are on all pages. */
export async function listMonitors(
  deps: MonitorDeps, ctx: RequestContext, input: MonitorListInput,
): Promise<{ monitors: { doc: MonitorDoc; facts: MonitorFacts }[]; total: number }> {
  const query: MonitorListQuery = {
    limit: input.limit,
    offset: input.offset,
    statuses: statusesOf(input.status),
    types: typesOf(input),
    groupId: input.group_id,
    tags: input.tags === undefined || input.tags.length === 0 ? undefined : input.tags,
    search: input.search === '' ? undefined : input.search,
    sortBy: input.sort_by === 'last_check_at' ? 'created_at' : input.sort_by,
    isDescending: input.sort_order === 'desc',
  };
  const { monitors, total } = await deps.lists.page(ctx.tenant, query, planList(query, await deps.counts.read(ctx.tenant)));
  const ids = monitors.map((doc) => doc._id);
  const groupIds = [...new Set(monitors.flatMap(({ group_id: id }) => (typeof id === 'string' ? [id] : [])))];
  const [known, groupNames] = await Promise.all([
    deps.readers.statistics.list30d(ids),
    groupIds.length === 0 ? new Map<string, string>() : deps.groups.names(ctx.tenant, groupIds),
  ]);
  const statuses = await incidentStatuses(deps, [...known.values()].map(({ live }) => live));
  return {
    total,
    monitors: monitors.map((doc) => {
      const { live, stats } = known.get(doc._id) ?? UNHEARD;
      const incidentStatus = statuses.get(live?.open_incident?.id ?? '') ?? null;
      return { doc, facts: { live, stats, incidentStatus, groupName: groupNames.get(doc.group_id ?? '') } };
    }),
  };
}

/** Throws INVALID_PERIOD, MONITOR_NOT_FOUND. `stats` is null when the monitor has no result. */
export async function readMonitorStats(
  deps: MonitorDeps, ctx: RequestContext, id: string, period: string,
): Promise<{ doc: MonitorDoc; facts: MonitorFacts }> {
  const days = Object.hasOwn(PERIOD_DAYS, period) ? PERIOD_DAYS[period] : undefined;
  if (days === undefined) throw new AppError('INVALID_PERIOD', `Period must be one of ${Object.keys(PERIOD_DAYS).join(', ')}`);
  const doc = await loadMonitor(deps, ctx, id);
  const { live, stats } = (await deps.readers.statistics.period(id, days)) ?? UNHEARD;
  const statuses = await incidentStatuses(deps, live === null ? [] : [live]);
  return { doc, facts: { live, stats, incidentStatus: statuses.get(live?.open_incident?.id ?? '') ?? null } };
}

export interface OrganizationStats {
  total: number;
  byType: Map<string, number>;
  byStatus: Map<string, number>;
  byCity: Map<string, number>;
  recent: (RecentResult & { monitor_name: string })[];
}

const MOST_RECENT = 10;
const UNKNOWN_CITY = 'Unknown';

/** Counts over the project's monitors and their latest results. */
export async function readOrganizationStats(deps: MonitorDeps, ctx: RequestContext): Promise<OrganizationStats> {
  const [counts, recent] = await Promise.all([
    deps.counts.read(ctx.tenant),
    deps.readers.statistics.recent(ctx.tenant.projectId, MOST_RECENT),
  ]);
  const [cities, names] = await Promise.all([
    deps.regions.cities(Object.keys(counts.regions)),
    deps.lists.names(ctx.tenant, [...new Set(recent.map((result) => result.monitor_id))]),
  ]);
  const cells = cellsOf(counts.cells);
  return {
    total: sumOf(cells),
    byType: tally(cells.map(({ type, count }) => [type, count])),
    byStatus: tally(cells.map(({ status, count }) => [status, count])),
    byCity: tally(Object.entries(counts.regions).map(([id, count]) => [cities.get(id) ?? UNKNOWN_CITY, count])),
    recent: recent.flatMap((result) => {
      const name = names.get(result.monitor_id);
      return name === undefined ? [] : [{ ...result, monitor_name: name }];
    }),
  };
}

function incidentStatuses(deps: MonitorDeps, live: MonitorLive[]): ReturnType<MonitorDeps['readers']['incidents']['statuses']> {
  const ids = live.flatMap((state) => (state.open_incident === null ? [] : [state.open_incident.id]));
  return ids.length === 0 ? Promise.resolve(new Map()) : deps.readers.incidents.statuses(ids);
}

/** `paused` and `disabled` both mean: every one that is not active. */
function statusesOf(status: LifecycleStatus | undefined): LifecycleStatus[] | undefined {
  if (status === undefined) return undefined;
  return status === 'active' ? ['active'] : ['paused', 'disabled'];
}

/** `types` wins over `type`, but one that names no type at all filters nothing. */
function typesOf(input: MonitorListInput): MonitorType[] | undefined {
  const named = MONITOR_TYPES.filter((type) => input.types?.includes(type) ?? false);
  if (named.length > 0) return named;
  return input.type === undefined ? undefined : [input.type];
}

function tally(parts: [name: string, count: number][]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [name, count] of parts) counts.set(name, (counts.get(name) ?? 0) + count);
  return counts;
}
