import type { ProjectContext } from '../../http/route.ts';
import type { GroupDeps } from '../deps.ts';
import type { GroupDoc } from '../group.ts';
import { healthOf, MonitorMeans, pageOf, runtimeStatusOf, type GroupHealth, type RuntimeStatus } from '../group-rules.ts';
import type { GroupMember } from '../ports.ts';
import { pathOf } from '../tree-rules.ts';
import { loadGroup } from './write-group.ts';

/** Most monitors that the read of one group names; lists of monitors have them all, in pages. */
const MOST_NAMED = 1000;
/** Monitors that are looked at at once. */
const AT_ONCE = 500;
const DAY_HOURS = 24;

export interface CountedGroup {
  group: GroupDoc;
  checkCount: number;
}

export interface WholeGroup extends CountedGroup {
  members: { member: GroupMember; status: RuntimeStatus }[];
  children: CountedGroup[];
  path: GroupDoc[];
}

export interface GroupList {
  groups: CountedGroup[];
  total: number;
  page: number;
  limit: number;
}

/** One page, newest first. Throws INVALID_PAGE, INVALID_LIMIT. */
export async function listGroups(deps: GroupDeps, ctx: ProjectContext, query: { page: string; limit: string }): Promise<GroupList> {
  const { page, limit, skip } = pageOf(query);
  const { groups, total } = await deps.groups.list(ctx.tenant, skip, limit);
  return { groups: await counted(deps, ctx, groups), total, page, limit };
}

/** With its monitors, children and path. Throws RESOURCE_NOT_FOUND. */
export async function readGroup(deps: GroupDeps, ctx: ProjectContext, id: string): Promise<WholeGroup> {
  const group = await loadGroup(deps, ctx, id);
  const [all, members] = await Promise.all([deps.groups.all(ctx.tenant), deps.monitors.page(ctx.tenant, id, '', MOST_NAMED)]);
  const children = all.filter((each) => each.parent_group_id === id);
  const [live, [self, ...counts]] = await Promise.all([
    deps.readers.states(members.map((member) => member.id)), counted(deps, ctx, [group, ...children]),
  ]);
  return {
    ...(self as CountedGroup),
    members: members.map((member) => ({ member, status: runtimeStatusOf(member, live.get(member.id)) })),
    children: counts,
    path: pathOf(all, id),
  };
}

/** The group as lists show it. */
export async function countGroup(deps: GroupDeps, ctx: ProjectContext, group: GroupDoc): Promise<CountedGroup> {
  return (await counted(deps, ctx, [group]))[0] as CountedGroup;
}

/** All groups of the project, by name. */
export async function readHierarchy(deps: GroupDeps, ctx: ProjectContext): Promise<CountedGroup[]> {
  return counted(deps, ctx, await deps.groups.all(ctx.tenant));
}

export interface GroupStats {
  total: number;
  active: number;
  paused: number;
  up: number;
  down: number;
  lastHour: MonitorMeans;
  day: MonitorMeans;
  week: MonitorMeans;
  month: MonitorMeans;
}

/** Over the group's own monitors. Throws RESOURCE_NOT_FOUND. */
export async function readGroupStats(deps: GroupDeps, ctx: ProjectContext, id: string): Promise<GroupStats> {
  await loadGroup(deps, ctx, id);
  const stats: GroupStats = {
    total: 0, active: 0, paused: 0, up: 0, down: 0,
    lastHour: new MonitorMeans(), day: new MonitorMeans(), week: new MonitorMeans(), month: new MonitorMeans(),
  };
  const windows = [[stats.lastHour, 1], [stats.day, DAY_HOURS], [stats.week, 7 * DAY_HOURS], [stats.month, 30 * DAY_HOURS]] as const;
  for await (const members of pages(deps, ctx, id)) {
    const ids = members.map((member) => member.id);
    const known = await deps.readers.periods(ids, windows.map(([, hours]) => hours));
    const statuses = members.map((member) => runtimeStatusOf(member, known.get(member.id)?.live));
    stats.total += members.length;
    stats.active += members.filter((member) => member.status === 'active').length;
    stats.paused += members.filter((member) => member.status === 'paused').length;
    stats.up += statuses.filter((status) => status === 'up' || status === 'degraded').length;
    stats.down += statuses.filter((status) => status === 'down').length;
    for (const { periods } of known.values()) for (const [at, [means]] of windows.entries()) means.add(periods[at] ?? null);
  }
  return stats;
}

export interface HealthEntry {
  group: GroupDoc;
  checkCount: number;
  health: GroupHealth;
  uptime: number;
}

/** Every group of the project by name, each over its own monitors. */
export async function readHealthSummary(deps: GroupDeps, ctx: ProjectContext): Promise<HealthEntry[]> {
  const groups = await deps.groups.all(ctx.tenant);
  const tallies = new Map(groups.map((group) => [group._id, { monitors: 0, failing: 0, means: new MonitorMeans() }]));
  for await (const members of pages(deps, ctx, null)) {
    const known = members.filter((member) => tallies.has(member.group_id));
    const ids = known.map((member) => member.id);
    const days = await deps.readers.periods(ids, [DAY_HOURS]);
    for (const member of known) {
      const tally = tallies.get(member.group_id);
      const day = days.get(member.id);
      if (tally === undefined) continue;
      tally.monitors += 1;
      if (runtimeStatusOf(member, day?.live) === 'down') tally.failing += 1;
      tally.means.add(day?.periods[0] ?? null);
    }
  }
  return groups.map((group) => {
    const { monitors, failing, means } = tallies.get(group._id) ?? { monitors: 0, failing: 0, means: new MonitorMeans() };
    return { group, checkCount: monitors, health: healthOf(monitors, failing), uptime: Math.round(means.uptime) };
  });
}

async function counted(deps: GroupDeps, ctx: ProjectContext, groups: GroupDoc[]): Promise<CountedGroup[]> {
  const counts = groups.length === 0 ? new Map<string, number>() : await deps.monitors.counts(ctx.tenant, groups.map((group) => group._id));
  return groups.map((group) => ({ group, checkCount: counts.get(group._id) ?? 0 }));
}

async function* pages(deps: GroupDeps, ctx: ProjectContext, groupId: string | null): AsyncGenerator<GroupMember[]> {
  for (let after = ''; ;) {
    const members = await deps.monitors.page(ctx.tenant, groupId, after, AT_ONCE);
    if (members.length > 0) yield members;
    if (members.length < AT_ONCE) return;
    after = members[members.length - 1]?.id ?? after;
  }
}
