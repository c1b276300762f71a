import { MONITOR_TYPES, type MonitorType } from '../../../shared/contracts/check-spec.ts';
import type { Tenant } from '../../access/tenant.ts';
import { AppError } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { MonitorLive } from '../../results/reading/recent/unwritten-monitor.ts';
import { cellsOf, sumOf } from '../counts/count-rules.ts';
import type { MonitorDeps } from '../deps.ts';
import { planList, type MonitorListQuery } from '../list/list-rules.ts';
import type { LifecycleStatus, MonitorDoc } from '../monitor.ts';
import { PERIOD_DAYS, type MonitorListInput } from '../schema.ts';
import type { MonitorStore } from '../store.ts';
import { currentIncidents } from './current-incidents.ts';

/** Throws MONITOR_NOT_FOUND, including for deleted monitors and those of other tenants. */
export async function loadMonitor(
  deps: { monitors: Pick<MonitorStore, 'find'> }, { tenant }: ProjectContext, id: string,
): Promise<MonitorDoc> {
  const doc = await deps.monitors.find(tenant, id);
  if (doc === null) throw new AppError('MONITOR_NOT_FOUND', 'Monitor not found');
  return doc;
}

/** Throws MONITOR_NOT_FOUND. */
export async function readMonitor(deps: MonitorDeps, ctx: ProjectContext, id: string) {
  const doc = await loadMonitor(deps, ctx, id);
  return { doc, live: await liveOf(deps, doc) };
}

/** Null if no shard owner has the monitor's state yet. */
export async function liveOf(deps: MonitorDeps, doc: MonitorDoc): Promise<MonitorLive | null> {
  return (await deps.readers.live.states([doc._id])).get(doc._id) ?? null;
}

/** Returns one page of monitors with their facts, and the total number of matches. */
export async function listMonitors(deps: MonitorDeps, ctx: ProjectContext, input: MonitorListInput) {
  const query: MonitorListQuery = {
    limit: input.limit,
    offset: input.offset,
    statuses: statusesOf(input.status),
    types: typesOf(input),
    groupId: input.group_id,
    tags: input.tags?.length === 0 ? undefined : input.tags,
    search: input.search === '' ? undefined : input.search,
    sortBy: input.sort_by === 'last_check_at' ? 'created_at' : input.sort_by,
    isDescending: input.sort_order === 'desc',
  };
  const plan = planList(query, await deps.counts.read(ctx.tenant));
  const { monitors, total } = await deps.lists.page(ctx.tenant, query, plan);
  const groupIds = new Set(monitors.flatMap(({ group_id: id }) => (typeof id === 'string' ? [id] : [])));
  const [statsById, groupNames] = await Promise.all([
    deps.readers.statistics.list30d(monitors.map((doc) => doc._id)),
    groupIds.size === 0 ? new Map<string, string>() : deps.groups.names(ctx.tenant, [...groupIds]),
  ]);
  const lives = new Map(monitors.map(({ _id }) => [_id, statsById.get(_id)?.live ?? null]));
  const incidents = await currentIncidents(deps, ctx.tenant, lives);
  return {
    total,
    monitors: monitors.map((doc) => {
      const { live = null, stats = null } = statsById.get(doc._id) ?? {};
      const incident = incidents.get(doc._id) ?? null;
      return { doc, facts: { live, stats, incident, groupName: groupNames.get(doc.group_id ?? '') } };
    }),
  };
}

/** Throws INVALID_PERIOD, MONITOR_NOT_FOUND. `stats` is null if the monitor has no results. */
export async function readMonitorStats(deps: MonitorDeps, ctx: ProjectContext, id: string, period: string) {
  const days = daysOf(PERIOD_DAYS, period);
  const doc = await loadMonitor(deps, ctx, id);
  const { live = null, stats = null } = (await deps.readers.statistics.period(id, days)) ?? {};
  const incident = (await currentIncidents(deps, ctx.tenant, new Map([[id, live]]))).get(id) ?? null;
  return { doc, facts: { live, stats, incident } };
}

/** Throws INVALID_PERIOD. */
export function daysOf(periods: Readonly<Record<string, number>>, period: string): number {
  const days = Object.hasOwn(periods, period) ? periods[period] : undefined;
  if (days !== undefined) return days;
  throw new AppError('INVALID_PERIOD', `Period must be one of ${Object.keys(periods).join(', ')}`);
}

const MAX_RECENT = 10;
const UNKNOWN_CITY = 'Unknown';

export async function readOrganizationStats(deps: MonitorDeps, { tenant }: ProjectContext) {
  const [counts, recent] = await Promise.all([
    deps.counts.read(tenant), deps.readers.statistics.recent(tenant.projectId, MAX_RECENT),
  ]);
  const [cities, named] = await Promise.all([
    deps.regions.cities(Object.keys(counts.regions)), withNames(deps, tenant, recent),
  ]);
  const cells = cellsOf(counts.cells);
  const regions = Object.entries(counts.regions);
  return {
    total: sumOf(cells),
    byType: tally(cells.map(({ type, count }) => [type, count])),
    byStatus: tally(cells.map(({ status, count }) => [status, count])),
    byCity: tally(regions.map(([id, count]) => [cities.get(id) ?? UNKNOWN_CITY, count])),
    recent: named,
  };
}

/** Adds names to facts about monitors. Omits deleted monitors. */
export async function withNames<T extends { monitor_id: string }>(
  { monitors }: Pick<MonitorDeps, 'monitors'>, tenant: Tenant, facts: T[],
) {
  const summaries = await monitors.summaries(tenant, [...new Set(facts.map((one) => one.monitor_id))]);
  return facts.flatMap((one) => {
    const monitor = summaries.get(one.monitor_id);
    return monitor === undefined ? [] : [{ monitor_name: monitor.name, ...one }];
  });
}

/** `paused` and `disabled` both match all monitors that are not active. */
function statusesOf(status: LifecycleStatus | undefined): LifecycleStatus[] | undefined {
  if (status === undefined) return undefined;
  return status === 'active' ? ['active'] : ['paused', 'disabled'];
}

/** `types` takes precedence over `type`, but is ignored if it contains no known type. */
function typesOf(input: MonitorListInput): MonitorType[] | undefined {
  const named = MONITOR_TYPES.filter((type) => input.types?.includes(type) ?? false);
  if (named.length > 0) return named;
  return input.type === undefined ? undefined : [input.type];
}

function tally(parts: [name: string, count: number][]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const [name, count] of parts) counts.set(name, (counts.get(name) ?? 0) + count);
  return Object.fromEntries(counts);
}
