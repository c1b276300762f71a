import { z } from 'zod';
import { managedBy } from '../access/managed.ts';
import { brandingInput } from './schema.ts';
import { COLOR_SCHEMES, SEVERITIES, TIMEFRAMES } from './page.ts';

const id = z.uuid();
const unixMs = z.int().describe('Unix ms.');
const count = z.int().min(0);
const percent = z.number().min(0).max(100);

export const brandingView = z.strictObject(brandingInput.shape).partial();

export const componentView = z.strictObject({
  id: id.describe("The monitor's id."),
  monitor_id: id,
  status_page_id: id,
  display_name: z.string().nullable(),
  group_name: z.string().nullable(),
  display_order: z.int(),
  is_visible: z.boolean().describe('Whether the public page shows it.'),
  show_uptime: z.literal(true),
  show_response_time: z.literal(true),
  monitor_name: z.string(),
  monitor_url: z.string().describe('The target; `***` if the caller cannot see the heartbeat token.'),
  monitor_status: z.enum(['up', 'down', 'degraded', 'paused', 'maintenance', 'unknown'])
    .describe('`unknown` without results.'),
  current_uptime: percent.describe('Percent of the last 24 hours; 0 if nothing was monitored.'),
  average_response_time: z.number().describe('ms, over the last 24 hours; 0 without results.'),
  created_at: unixMs,
}).meta({ id: 'StatusPageMonitor' });

export const pageView = z.strictObject({
  id, organization_id: id, project_id: id,
  name: z.string(),
  description: z.string().nullable(),
  subdomain: z.string(),
  status: z.enum(['draft', 'published', 'archived']),
  is_public: z.boolean(),
  color_scheme: z.enum(COLOR_SCHEMES),
  logo_url: z.string().nullable(),
  favicon_url: z.string().nullable(),
  custom_css: z.string().nullable(),
  component_display_order: z.literal('custom'),
  show_uptime_percentage: z.boolean(),
  show_response_time: z.boolean(),
  timezone: z.string(),
  allow_search_indexing: z.boolean(),
  uptime_timeframes: z.array(z.enum(TIMEFRAMES)),
  uptime_thresholds: z.strictObject({ operational: percent, degraded: percent }),
  incident_history_days: z.int(),
  maintenance_affects_uptime: z.boolean(),
  google_analytics_id: z.string().nullable(),
  custom_domain: z.string().nullable(),
  custom_domain_verified: z.boolean(),
  ssl_enabled: z.boolean(),
  ssl_certificate_status: z.literal('active').nullable(),
  auto_publish_enabled: z.boolean(),
  auto_publish_severities: z.array(z.enum(SEVERITIES)),
  subscriber_count: count.describe('Verified subscribers; only in lists, otherwise 0.'),
  monitor_count: count.describe('Only in lists, otherwise 0.'),
  page_views_24h: count.describe('0 in lists.'),
  page_views_7d: count.describe('Only in lists, otherwise 0.'),
  page_views_30d: count.describe('0 in lists.'),
  last_published_at: unixMs.nullable().describe('Unix ms of the first publication.'),
  created_by: z.null(), managed_by: managedBy,
  created_at: unixMs,
  updated_at: unixMs,
  uptime_percentage: percent.optional()
    .describe('Mean of the last 24 hours over the attached monitors with data, 0 if none has data; absent '
      + 'without monitors.'),
  monitors: z.array(componentView).optional().describe('Absent without monitors.'),
  branding: brandingView.optional().describe('Absent if it was never set.'),
}).meta({ id: 'StatusPage' });
export type PageView = z.infer<typeof pageView>;
export type ComponentView = z.infer<typeof componentView>;

export const pageResponse = z.strictObject({ status_page: pageView });
export const pageListResponse = z.strictObject({ status_pages: z.array(pageView) });
export const brandingResponse = z.strictObject({ branding: brandingView });
export const domainResponse = pageResponse.extend({
  verification: z.strictObject({
    is_verified: z.boolean(),
    problem: z.string().nullable().describe('Why it is not verified; otherwise null.'),
    records: z.array(z.strictObject({ type: z.enum(['CNAME', 'TXT']), name: z.string(), value: z.string() }))
      .describe('Any one of these DNS records is enough.'),
  }),
});
