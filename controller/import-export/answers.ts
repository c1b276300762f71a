import { z } from 'zod';
import { MONITOR_TYPES } from '../../shared/contracts/check-spec.ts';
import { monitorSettings } from '../monitors/answers.ts';
import { typeAnswers } from '../monitors/settings/registry.ts';

const importedItem = z.strictObject({
  name: z.string(),
  action: z.enum(['create', 'update', 'unchanged']),
  changes: z.array(z.string()).describe('Names of the fields that change.'),
  id: z.uuid().nullable().describe('Null if it does not exist yet.'),
});
export type ImportedItem = z.input<typeof importedItem>;

export const importAnswer = z.strictObject({
  dry_run: z.boolean(),
  summary: z.strictObject({ created: z.int(), updated: z.int(), unchanged: z.int() }),
  groups: z.array(importedItem),
  monitors: z.array(importedItem),
});

const { port: _port, heartbeat_token: _token, last_heartbeat_at: _ping, ...typeSettings } = typeAnswers;

/** Everything that users decide about a monitor, and nothing that was measured. */
const exportedMonitor = z.strictObject({
  name: z.string(),
  type: z.enum(MONITOR_TYPES),
  target: z.string().optional(),
  interval_seconds: z.int(),
  timeout_ms: z.int().nullable(),
  status: z.enum(['active', 'paused', 'disabled']),
  group: z.string().nullable(),
  ...typeSettings,
  slow_response_threshold_ms: typeSettings.slow_response_threshold_ms.nullable(),
  auth: typeSettings.auth.nullable(),
  ssl_monitoring: monitorSettings.ssl_monitoring.nullable(),
  domain_monitoring: monitorSettings.domain_monitoring.nullable(),
  confirmation_policy: monitorSettings.confirmation_policy,
  notification_target_ids: z.array(z.uuid()),
  tags: z.array(z.string()),
  monitoring_regions: z.array(z.string()),
});
export type ExportedMonitor = z.input<typeof exportedMonitor>;

export const exportAnswer = z.strictObject({
  version: z.literal(1),
  groups: z.array(z.strictObject({
    name: z.string(), description: z.string(), parent: z.string().nullable(),
  })),
  monitors: z.array(exportedMonitor),
});
