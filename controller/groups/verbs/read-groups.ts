import type { ProjectContext } from '../../http/routing/route.ts';
import { groupSizes } from '../../monitors/counts/count-rules.ts';
import { componentStatus, type MonitorDoc, type RelatedMonitor, runtimeStatus } from '../../monitors/monitor.ts';
import type { GroupDeps } from '../deps.ts';
import type { GroupDoc } from '../group.ts';
import { healthOf, Mean, pageOf } from '../group-rules.ts';
import type { GroupListInput } from '../schema.ts';
import { loadGroup } from './write-group.ts';

/** Per group. The list of monitors returns all of them in pages. */
const MAX_LISTED_MONITORS = 1000;
/** Monitors whose statistics are read together. */
const BATCH_SIZE = 500;
const DAY_HOURS = 24;
/** The last hour, 24 hours, 7 days and 30 days. */
const WINDOW_HOURS = [1, DAY_HOURS, 7 * DAY_HOURS, 30 * DAY_HOURS];

/** Exact number of monitors by group id. Omits empty groups. */
export async function countMembers(deps: GroupDeps, ctx: ProjectContext, groups: GroupDoc[]) {
  if (groups.length === 0) return new Map<string, number>();
  return groupSizes(await deps.monitors.counts.read(ctx.tenant), groups.map((group) => group._id));
}

/** One page, newest first. Throws INVALID_PAGE, INVALID_LIMIT. */
export async function listGroups(deps: GroupDeps, ctx: ProjectContext, query: GroupListInput) {
  const { page, limit } = pageOf(query);
  const { groups, total } = await deps.groups.list(ctx.tenant, (page - 1) * limit, limit);
  return { groups, counts: await countMembers(deps, ctx, groups), total, page, limit };
}

export type WholeGroup = Awaited<ReturnType<typeof readGroup>>;

/** `all` are all groups of the project. Throws RESOURCE_NOT_FOUND. */
export async function readGroup(deps: GroupDeps, ctx: ProjectContext, id: string) {
  const group = await loadGroup(deps, ctx, id);
  const [all, monitors] = await Promise.all([
    deps.groups.listAll(ctx.tenant), deps.monitors.monitors.ofGroup(ctx.tenant, id, '', MAX_LISTED_MONITORS),
  ]);
  const dependencies = await dependenciesOf(deps, ctx, monitors);
  const [live, counts] = await Promise.all([
    deps.monitors.readers.live.states([...monitors, ...dependencies].map((doc) => doc._id)),
    countMembers(deps, ctx, [group, ...all]),
  ]);
  return { group, all, monitors, dependencies, live, counts };
}

/** Other monitors on which these depend, directly or not, nearest first. */
async function dependenciesOf(
  deps: GroupDeps, { tenant }: ProjectContext, monitors: RelatedMonitor[],
): Promise<RelatedMonitor[]> {
  const found: RelatedMonitor[] = [];
  const seen = new Set(monitors.map((doc) => doc._id));
  for (let level = monitors; level.length > 0 && found.length < MAX_LISTED_MONITORS;) {
    const next = new Set(level.flatMap((doc) => doc.depends_on).filter((id) => !seen.has(id)));
    for (const id of next) seen.add(id);
    level = await deps.monitors.monitors.dependencies(tenant, [...next]);
    found.push(...level);
  }
  return found.slice(0, MAX_LISTED_MONITORS);
}

/** All groups of the project, sorted by name. */
export async function readHierarchy(deps: GroupDeps, ctx: ProjectContext) {
  const groups = await deps.groups.listAll(ctx.tenant);
  return { groups, counts: await countMembers(deps, ctx, groups) };
}

/** Covers the group's own monitors, not those of child groups. Throws RESOURCE_NOT_FOUND. */
export async function readGroupStats(deps: GroupDeps, ctx: ProjectContext, id: string) {
  await loadGroup(deps, ctx, id);
  const numbers = {
    total_monitors: 0, active_monitors: 0, paused_monitors: 0, monitors_up: 0, monitors_down: 0,
  };
  const means = WINDOW_HOURS.map(() => ({ uptime: new Mean(), responseTime: new Mean() }));
  for await (const docs of members(deps, ctx, id)) {
    const monitorIds = docs.map((doc) => doc._id);
    const statsById = await deps.monitors.readers.statistics.periods(monitorIds, WINDOW_HOURS);
    for (const doc of docs) {
      const { live, periods = [] } = statsById.get(doc._id) ?? {};
      const status = runtimeStatus(doc, live);
      numbers.total_monitors += 1;
      if (doc.status === 'active') numbers.active_monitors += 1;
      if (doc.status === 'paused') numbers.paused_monitors += 1;
      if (status === 'up' || status === 'degraded') numbers.monitors_up += 1;
      if (componentStatus(doc, live) === 'down') numbers.monitors_down += 1;
      for (const [at, stats] of periods.entries()) {
        means[at]?.uptime.add(stats?.uptime_percentage);
        means[at]?.responseTime.add(stats?.avg_response_time);
      }
    }
  }
  const figures = means.map(({ uptime, responseTime }) => (
    { uptime: Math.min(100, uptime.value), avg_response_time: responseTime.value }
  ));
  const [hour, last_24h, last_7d, last_30d] = figures as [Figures, Figures, Figures, Figures];
  return {
    ...numbers, avg_response_time: hour.avg_response_time, uptime_percentage: last_24h.uptime,
    historical: { last_24h, last_7d, last_30d },
  };
}

interface Figures {
  uptime: number;
  avg_response_time: number;
}

/** Sorted by name. Covers each group's own monitors, not those of child groups. */
export async function readHealthSummary(deps: GroupDeps, ctx: ProjectContext) {
  const tallies = (await deps.groups.listAll(ctx.tenant))
    .map(({ _id: id, name }) => ({ id, name, monitors: 0, failing: 0, uptime: new Mean() }));
  const byGroup = new Map(tallies.map((tally) => [tally.id, tally]));
  for await (const docs of members(deps, ctx, null)) {
    const groupedDocs = docs.filter((doc) => byGroup.has(doc.group_id ?? ''));
    const monitorIds = groupedDocs.map((doc) => doc._id);
    const days = await deps.monitors.readers.statistics.periods(monitorIds, [DAY_HOURS]);
    for (const doc of groupedDocs) {
      const tally = byGroup.get(doc.group_id ?? '');
      if (tally === undefined) continue;
      const day = days.get(doc._id);
      tally.monitors += 1;
      if (componentStatus(doc, day?.live) === 'down') tally.failing += 1;
      tally.uptime.add(day?.periods[0]?.uptime_percentage);
    }
  }
  return {
    groups: tallies.map(({ id, name, monitors, failing, uptime }) => ({
      id, name, check_count: monitors, health_status: healthOf(monitors, failing),
      uptime_percentage: Math.round(Math.min(100, uptime.value)),
    })),
  };
}

/** Pages of the monitors in a group, or in all groups of the project if null. */
async function* members(deps: GroupDeps, ctx: ProjectContext, groupId: string | null) {
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: MonitorDoc[] = await deps.monitors.monitors.ofGroup(ctx.tenant, groupId, after, BATCH_SIZE);
    if (page.length > 0) yield page;
    after = page[BATCH_SIZE - 1]?._id;
  }
}
