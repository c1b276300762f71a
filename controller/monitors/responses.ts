import { z } from 'zod';
import { MONITOR_TYPES } from '../../shared/contracts/check-spec.ts';
import { managedBy } from '../access/managed.ts';
import { ALERT_SEVERITIES } from '../verdicts/monitor-config.ts';
import { typeResponseFields } from './settings/registry.ts';

const unixSeconds = z.int();
const unixMs = z.int();
const lifecycle = z.enum(['active', 'paused', 'disabled']);
/** Days before expiry at which to warn. */
const days = z.array(z.int());

export const monitorSettings = {
  /** A check that succeeds is a failure, and the other way round. */
  is_inverted: z.boolean(),
  runbook_url: z.string().optional(),
  alert_severity: z.enum(ALERT_SEVERITIES).optional(),
  confirmation_policy: z.strictObject({
    /** How many of the voting regions must agree. */
    regions: z.union([z.enum(['majority', 'any', 'all']), z.int()]),
    /** Consecutive failed rechecks, after the first failure, before a region is down. */
    retries: z.int(),
    /** Good scheduled checks in a row, after the first, before a region counts as up again. */
    recoveries: z.int(),
  }),
  ssl_monitoring: z.strictObject({
    enabled: z.boolean(), check_expiry: z.boolean(), check_validity: z.boolean(), expiry_warning_days: days,
  }).optional(),
  domain_monitoring: z.strictObject({ enabled: z.boolean(), expiry_warning_days: days }).optional(),
};

const {
  port: _port, heartbeat_token: _token, last_heartbeat_at: _ping, ...typeSettings
} = typeResponseFields;

/** All user settings of a monitor except its group. */
export const allSettings = {
  name: z.string(),
  type: z.enum(MONITOR_TYPES),
  target: z.string().optional(),
  interval_seconds: z.int(),
  timeout_ms: z.int().nullable().describe('Null: the lower of 10000 and the interval.'),
  status: lifecycle,
  ...typeSettings,
  slow_response_threshold_ms: typeSettings.slow_response_threshold_ms.nullable(),
  slow_response_action: typeSettings.slow_response_action.nullable(),
  auth: typeSettings.auth.nullable(),
  heartbeat_interval: typeSettings.heartbeat_interval.nullable(),
  heartbeat_schedule: typeSettings.heartbeat_schedule.nullable(),
  heartbeat_timezone: typeSettings.heartbeat_timezone.nullable(),
  max_runtime_seconds: typeSettings.max_runtime_seconds.nullable(),
  ssl_monitoring: monitorSettings.ssl_monitoring.nullable(),
  domain_monitoring: monitorSettings.domain_monitoring.nullable(),
  confirmation_policy: monitorSettings.confirmation_policy,
  is_inverted: monitorSettings.is_inverted,
  runbook_url: monitorSettings.runbook_url.nullable(),
  alert_severity: monitorSettings.alert_severity.nullable(),
  notification_target_ids: z.array(z.uuid()),
  depends_on: z.array(z.uuid()),
  tags: z.array(z.string()),
  monitoring_regions: z.array(z.string()).describe('Empty for automatic selection.'),
};
export const settingsResponse = z.strictObject({
  settings: z.strictObject({ group_id: z.uuid().nullable(), ...allSettings }).meta({ id: 'MonitorSettings' }),
});

const monitorFields = {
  id: z.uuid(), organization_id: z.uuid(), created_by: z.uuid(), managed_by: managedBy,
  name: z.string(),
  type: z.enum(MONITOR_TYPES),
  target: z.string(),
  interval_seconds: z.int(),
  status: lifecycle, configState: lifecycle,
  created_at: unixSeconds, updated_at: unixSeconds,
  timeout_ms: z.int(),
  ...monitorSettings,
  ...typeResponseFields,
  notification_target_ids: z.array(z.uuid()).optional(),
  depends_on: z.array(z.uuid()).optional(),
  group_id: z.uuid().optional(),
};

/** Separate from the health, which maintenance does not change. */
export const inMaintenance = z.boolean().describe('Whether a maintenance window of the monitor is open.');

export const monitorView = z.strictObject({
  ...monitorFields, runtimeStatus: z.enum(['up', 'down', 'degraded', 'paused', 'unknown']),
  in_maintenance: inMaintenance,
}).meta({ id: 'Monitor' });
export const monitorResponse = z.strictObject({ monitor: monitorView });
export const bulkResponse = z.strictObject({
  affected_count: z.int(),
  monitor_ids: z.array(z.uuid()),
  message: z.string(),
  failures: z.array(z.strictObject({ monitor_id: z.uuid(), code: z.string(), message: z.string() })),
});

const currentHealth = z.enum(['up', 'down', 'degraded', 'unknown']);
const percent = z.number().min(0).max(100);
const CURRENT_INCIDENT =
  'The open incident of its checks, or else the latest open one that was created through the API';
const incidentFields = {
  status: z.enum(['open', 'acknowledged']), severity: z.enum(['critical', 'major', 'minor', 'warning']),
};

export const listStats = z.strictObject({
  uptime: percent,
  averageResponseTime: z.number(),
  totalChecks: z.int(), failedChecks: z.int(),
  lastChecked: z.iso.datetime().nullable(),
  lastFailureAt: unixMs.nullable(), lastSuccessAt: unixMs.nullable(),
  currentIncident: z.strictObject({
    id: z.uuid(), startedAt: z.iso.datetime(), downtimeMinutes: z.int(), ...incidentFields,
  }).nullable().describe(CURRENT_INCIDENT),
});

export const listedMonitorView = z.strictObject({
  ...monitorFields,
  runtimeStatus: currentHealth, in_maintenance: inMaintenance,
  last_check_at: unixSeconds.optional(), next_check_at: unixSeconds.optional(),
  stats: listStats.optional(),
  group_name: z.string().optional(),
}).meta({ id: 'ListedMonitor' });
export const monitorListResponse = z.strictObject({
  monitors: z.array(listedMonitorView),
  pagination: z.strictObject({
    total_count: z.int(), limit: z.int(), offset: z.int(), has_more: z.boolean(),
  }),
});

export const monitorStatsResponse = z.strictObject({
  uptime_percentage: percent,
  avg_response_time: z.number(),
  total_checks: z.int(), failed_checks: z.int(),
  last_check_at: unixMs.nullable(), last_success_at: unixMs.nullable(), last_failure_at: unixMs.nullable(),
  runtime_status: currentHealth, in_maintenance: inMaintenance,
  current_incident: z.strictObject({
    id: z.uuid(), started_at: z.iso.datetime(), downtime_minutes: z.int(), ...incidentFields,
  }).nullable().describe(CURRENT_INCIDENT),
}).meta({ id: 'MonitorStats' });

const counts = z.record(z.string(), z.int());
export const organizationStatsResponse = z.strictObject({
  total_monitors: z.int(),
  by_type: counts, by_status: counts, by_region: counts,
  recent_activity: z.array(z.strictObject({
    monitor_id: z.uuid(),
    monitor_name: z.string(),
    success: z.boolean(),
    response_time_ms: z.int().nullable(),
    status_code: z.int().nullable(),
    checked_at: z.iso.datetime(),
  })),
}).meta({ id: 'OrganizationMonitorStats' });
