import { z } from 'zod';
import { managedBy } from '../access/managed.ts';
import { monitorView } from '../monitors/responses.ts';

const id = z.uuid();
const instant = z.iso.datetime();
const percent = z.number().min(0).max(100);

const groupMonitorView = monitorView.pick({
  id: true, name: true, type: true, target: true, interval_seconds: true, status: true, configState: true,
  runtimeStatus: true, in_maintenance: true, depends_on: true,
});
const dependencyView = groupMonitorView.pick({
  id: true, name: true, runtimeStatus: true, in_maintenance: true, depends_on: true,
});

/** Children have the same fields. */
export const groupView = z.strictObject({
  id, organization_id: id, project_id: id, created_by: id.optional(), managed_by: managedBy,
  name: z.string(),
  description: z.string().optional(),
  parent_group_id: id.optional().describe('Absent for a top-level group.'),
  created_at: instant,
  updated_at: instant.describe('The same as `created_at`.'),
  check_count: z.int().describe('Monitors in the group, excluding those in child groups.'),
  monitors: z.array(groupMonitorView)
    .describe('Included when one group is read, at most 1000; otherwise empty.'),
  dependencies: z.array(dependencyView).optional().describe(
    'Monitors outside the group on which its monitors depend, directly or not, at most 1000. '
    + 'Included when one group is read, if there are any.',
  ),
  get children() {
    return z.array(groupView)
      .describe('Included when one group or the hierarchy is read; otherwise empty.');
  },
  path: z.array(z.strictObject({ id, name: z.string() }))
    .describe('From the top level down to this group; included when one group is read.'),
}).meta({ id: 'Group' });
export type GroupView = z.infer<typeof groupView>;

export const groupListResponse = z.strictObject({
  groups: z.array(groupView), total: z.int(), page: z.int(), limit: z.int(),
});
export const hierarchyResponse = z.strictObject({ groups: z.array(groupView) });
export const bulkResponse = z.strictObject({
  affected_count: z.int(),
  monitor_ids: z.array(id).describe('The monitors that changed.'),
  message: z.string(),
});

const window = z.strictObject({ uptime: percent, avg_response_time: z.number() });
export const groupStatsResponse = z.strictObject({
  total_monitors: z.int(), active_monitors: z.int(), paused_monitors: z.int(),
  monitors_up: z.int(), monitors_down: z.int().describe('Excluding those in maintenance.'),
  avg_response_time: z.number()
    .describe('ms, over the clock hours that overlap the last hour; 0 without results.'),
  uptime_percentage: percent
    .describe('Last 24 hours, every monitor with data weighted equally; 0 if none has any.'),
  historical: z.strictObject({ last_24h: window, last_7d: window, last_30d: window }),
});

export const healthSummaryResponse = z.strictObject({
  groups: z.array(z.strictObject({
    id, name: z.string(), check_count: z.int(),
    health_status: z.enum(['healthy', 'degraded', 'down', 'unknown']),
    uptime_percentage: z.int().min(0).max(100),
  })),
});
