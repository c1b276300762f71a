import { z } from 'zod';
import { MONITOR_TYPES } from '../../shared/contracts/check-spec.ts';
import { monitorSettings } from './answers.ts';
import type { MonitorDoc } from './monitor.ts';
import { CHECK_TYPES, typeAnswers, type TypeView } from './settings/registry.ts';

const { port: _port, heartbeat_token: _token, last_heartbeat_at: _ping, ...typeSettings } = typeAnswers;

/** A monitor as a document holds it: all that was decided about it, and nothing that was found out. */
export const exportedMonitor = z.strictObject({
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

/** Everything is said, also what is unset, so that an import sets it so again. A heartbeat's token, which lets anybody ping, is not in it. */
export function exportMonitor(doc: MonitorDoc, group: string | null): ExportedMonitor {
  const { port: _same, heartbeat_token: token, last_heartbeat_at: _found, ...settings } = CHECK_TYPES[doc.type].view(doc) as TypeView;
  return {
    name: doc.name,
    type: doc.type,
    ...(token === undefined ? { target: doc.target } : {}),
    interval_seconds: doc.interval_seconds,
    timeout_ms: doc.timeout_ms,
    status: doc.status,
    group,
    ...settings,
    ...(doc.http === null ? {} : { slow_response_threshold_ms: doc.http.slow_response_threshold_ms, auth: doc.http.auth }),
    ssl_monitoring: doc.ssl_monitoring,
    domain_monitoring: doc.domain_monitoring,
    confirmation_policy: doc.confirmation_policy,
    notification_target_ids: doc.notification_target_ids,
    tags: doc.tags,
    monitoring_regions: doc.monitoring_regions,
  };
}
