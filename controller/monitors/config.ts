import { isDeepStrictEqual } from 'node:util';
import type { CheckSpec } from '../../shared/contracts/check-spec.ts';
import type { MonitorConfig } from '../verdicts/monitor-config.ts';
import { timeoutMs, type MonitorDoc } from './monitor.ts';
import { CHECK_TYPES } from './settings/registry.ts';

/** What the state machine needs to know of a monitor; a deleted one has the status `deleted`. */
export function toMonitorConfig(doc: MonitorDoc): MonitorConfig {
  return {
    monitor_id: doc._id,
    organization_id: doc.organization_id,
    project_id: doc.project_id,
    revision: doc.revision,
    check_revision: doc.check_revision,
    name: doc.name,
    target: doc.target,
    type: doc.type,
    status: doc.deleted_at === null ? doc.status : 'deleted',
    interval_ms: doc.interval_seconds * 1000,
    timeout_ms: timeoutMs(doc),
    retries: doc.confirmation_policy.retries,
    quorum: doc.confirmation_policy.regions,
    slow_response_threshold_ms: doc.http?.slow_response_threshold_ms ?? null,
    tls_warning_days: doc.ssl_monitoring?.enabled && doc.ssl_monitoring.check_expiry ? doc.ssl_monitoring.expiry_warning_days : [],
    domain_warning_days: doc.domain_monitoring?.enabled ? doc.domain_monitoring.expiry_warning_days : [],
    notification_target_ids: doc.notification_target_ids,
    monitoring_regions: doc.monitoring_regions,
    heartbeat: doc.heartbeat === null ? null : { interval_ms: doc.heartbeat.interval_seconds * 1000, grace_ms: doc.heartbeat.grace_seconds * 1000 },
    changed_at: doc.deleted_at ?? doc.updated_at,
  };
}

/** What a probe has to do; for a heartbeat nothing, as its bare name says. */
export function toCheckSpec(doc: MonitorDoc): CheckSpec {
  return CHECK_TYPES[doc.type].toSpec(doc);
}

/**
 * Whether results from before a change say nothing about what is checked after it: a monitor that was not active, or another
 * target, timeout or setting of the check. Not so for its name, interval, regions, confirmation or whom it alerts.
 */
export function isCheckedAnew(before: MonitorDoc, after: MonitorDoc): boolean {
  if (after.status !== 'active') return false;
  return before.status !== 'active' || timeoutMs(before) !== timeoutMs(after) || !isDeepStrictEqual(toCheckSpec(before), toCheckSpec(after));
}
