import { z } from 'zod';
import { COLOR_SCHEMES, SEVERITIES } from '../page.ts';
import { POST_STATUSES } from '../posts/post.ts';

const instant = z.iso.datetime();
const percent = z.number().min(0).max(100);

export const OVERALL_STATES =
  ['operational', 'degraded', 'partial_outage', 'major_outage', 'maintenance', 'unknown'] as const;
export type OverallState = (typeof OVERALL_STATES)[number];

const componentView = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  group: z.string().nullable(),
  status: z.enum(['up', 'down', 'degraded', 'paused', 'maintenance', 'unknown']),
  uptime: z.record(z.string(), percent.nullable()).optional()
    .describe('Percent by time frame; null if nothing was monitored. Absent if the page does not show it.'),
  daily_uptime: z.array(percent.nullable()).optional()
    .describe('Percent of each day (UTC) from `first_day` to today; null if nothing was monitored.'),
  response_time_ms: z.number().nullable().optional()
    .describe('Mean of the last 24 hours. Absent if the page does not show it.'),
});

const postView = z.strictObject({
  id: z.uuid(),
  title: z.string(),
  message: z.string(),
  severity: z.enum(SEVERITIES),
  status: z.enum(POST_STATUSES),
  affected: z.array(z.string()).describe('Names of components.'),
  published_at: instant,
  resolved_at: instant.nullable(),
  updates: z.array(z.strictObject({
    status: z.enum(POST_STATUSES), message: z.string(), created_at: instant,
  })).describe('Oldest first.'),
});

const maintenanceView = z.strictObject({
  id: z.uuid().describe('Id of the window, shared by its occurrences.'),
  title: z.string(),
  description: z.string().nullable(),
  affected: z.array(z.string()).describe('Names of components.'),
  starts_at: instant,
  ends_at: instant,
});

/** A page as its readers see it: no email addresses, no targets, nothing hidden. */
export const publicPageView = z.strictObject({
  name: z.string(),
  description: z.string().nullable(),
  subdomain: z.string(),
  timezone: z.string(),
  color_scheme: z.enum(COLOR_SCHEMES),
  overall: z.enum(OVERALL_STATES),
  uptime_thresholds: z.strictObject({ operational: percent, degraded: percent })
    .describe('Percentages from which a day counts as operational, and as degraded.'),
  first_day: z.iso.date().describe('The first day of `daily_uptime`.'),
  components: z.array(componentView),
  incidents: z.array(postView).describe('Open incidents, and those of the last `incident_history_days`.'),
  maintenance: z.array(maintenanceView)
    .describe('Maintenance in progress or in the next two weeks, soonest first.'),
  as_of: instant.describe('When this was computed. Cached for ten seconds while nothing changes.'),
  is_current: z.boolean()
    .describe('False while the current state is not available; this is the state as of `as_of`.'),
}).meta({ id: 'PublicStatusPage' });
export type PublicPageView = z.infer<typeof publicPageView>;
export type PublicComponent = PublicPageView['components'][number];
export type PublicPost = PublicPageView['incidents'][number];
export type PublicMaintenance = PublicPageView['maintenance'][number];
