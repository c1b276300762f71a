import type { z } from 'zod';
import { isoTime } from '../../shared/time.ts';
import type { groupStatsAnswer, GroupView, healthSummaryAnswer } from './answers.ts';
import { childrenByParent } from './tree-rules.ts';
import type { MonitorMeans } from './group-rules.ts';
import type { CountedGroup, GroupStats, HealthEntry, WholeGroup } from './verbs/read-groups.ts';

/** A group as lists show it. */
export function viewGroup({ group, checkCount }: CountedGroup): GroupView {
  return {
    id: group._id,
    organization_id: group.organization_id,
    project_id: group.project_id,
    ...(group.created_by === null ? {} : { created_by: group.created_by }),
    name: group.name,
    ...(group.description === '' ? {} : { description: group.description }),
    ...(group.parent_group_id === null ? {} : { parent_group_id: group.parent_group_id }),
    created_at: isoTime(group.created_at),
    updated_at: isoTime(group.created_at),
    check_count: checkCount,
    monitors: [],
    children: [],
    path: [],
  };
}

export function viewWholeGroup(whole: WholeGroup): GroupView {
  return {
    ...viewGroup(whole),
    monitors: whole.members.map(({ member: { group_id: _group, ...fields }, status }) => ({ configState: fields.status, runtimeStatus: status, ...fields })),
    children: whole.children.map(viewGroup),
    path: whole.path.map((group) => ({ id: group._id, name: group.name })),
  };
}

/** The groups at the top, each with what is below it, in the order given. */
export function viewHierarchy(groups: CountedGroup[]): GroupView[] {
  const views = new Map(groups.map((counted) => [counted.group._id, viewGroup(counted)]));
  const children = childrenByParent(groups.map(({ group }) => group));
  for (const [id, view] of views) view.children = (children.get(id) ?? []).flatMap((child) => views.get(child._id) ?? []);
  return (children.get(null) ?? []).flatMap((group) => views.get(group._id) ?? []);
}

export function viewGroupStats(stats: GroupStats): z.input<typeof groupStatsAnswer> {
  return {
    total_monitors: stats.total,
    active_monitors: stats.active,
    paused_monitors: stats.paused,
    monitors_up: stats.up,
    monitors_down: stats.down,
    avg_response_time: stats.lastHour.responseTime,
    uptime_percentage: stats.day.uptime,
    historical: { last_24h: viewWindow(stats.day), last_7d: viewWindow(stats.week), last_30d: viewWindow(stats.month) },
  };
}

function viewWindow(means: MonitorMeans): { uptime: number; avg_response_time: number } {
  return { uptime: means.uptime, avg_response_time: means.responseTime };
}

export function viewHealth({ group, checkCount, health, uptime }: HealthEntry): z.input<typeof healthSummaryAnswer>['groups'][number] {
  return { id: group._id, name: group.name, check_count: checkCount, health_status: health, uptime_percentage: uptime };
}
