import { z } from 'zod';
import { allSettings } from '../monitors/responses.ts';
import { pageView } from '../status-pages/responses.ts';
import { brandingInput } from '../status-pages/schema.ts';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const parts = z.record(z.string(), z.union([scalar, z.array(scalar)]));
const anyValue = z.union([scalar, z.array(z.union([scalar, parts])), parts]);
export type AnyValue = z.input<typeof anyValue>;

const difference = z.strictObject({
  field: z.string().describe('Its name in an export; nested fields have names like `tcp_config.port`.'),
  before: anyValue.describe('Null if it is not set. Credentials are always `***`.'),
  after: anyValue,
});

const importedItem = z.strictObject({
  name: z.string(),
  action: z.enum(['create', 'update', 'unchanged']),
  changes: z.array(z.string()).describe('Names of the fields that change.'),
  differences: z.array(difference).describe('The changed fields with their values.'),
  id: z.uuid().nullable().describe('Null if it does not exist yet.'),
});
export type ImportedItem = z.input<typeof importedItem>;

export const importResponse = z.strictObject({
  dry_run: z.boolean(),
  summary: z.strictObject({ created: z.int(), updated: z.int(), unchanged: z.int() }),
  groups: z.array(importedItem),
  monitors: z.array(importedItem),
  status_pages: z.array(importedItem),
});

const exportedMonitor = z.strictObject({
  group: z.string().nullable(), ...allSettings, depends_on: z.array(z.string()).describe('Names of monitors.'),
});

const exportedPage = pageView.pick({
  name: true, description: true, subdomain: true, status: true, show_uptime_percentage: true,
  show_response_time: true, timezone: true, allow_search_indexing: true, uptime_timeframes: true,
  uptime_thresholds: true, incident_history_days: true, maintenance_affects_uptime: true,
  google_analytics_id: true, custom_domain: true, auto_publish_enabled: true, auto_publish_severities: true,
}).extend({
  branding: z.strictObject(brandingInput.shape).partial(),
  monitors: z.array(z.strictObject({
    monitor: z.string(), target: z.string().optional(), display_name: z.string().nullable(),
    group_name: z.string().nullable(), display_order: z.int(), is_visible: z.boolean(),
  })),
});
export type ExportedPage = z.input<typeof exportedPage>;

export const exportResponse = z.strictObject({
  version: z.literal(1),
  groups: z.array(z.strictObject({
    name: z.string(), description: z.string(), parent: z.string().nullable(),
  })),
  monitors: z.array(exportedMonitor),
  status_pages: z.array(exportedPage)
    .describe('Only in the last document of a project that needs several, because they refer to its monitors.'),
});
