import type { CheckResult, ResultBatch } from '../../../shared/contracts/result.ts';
import type { MonitorConfig } from '../../../controller/verdicts/monitor-config.ts';
import type { StoredResult } from '../../../controller/results/hours/stored-result.ts';
import { shardMap } from '../../helpers/shard-map.ts';

/** 2025-10-09T10:00:00Z, a full hour. */
export const HOUR = 1_760_004_000_000;

/** The id of a monitor in the shard. Each number gives a different id. */
export function idIn(shard: number, number = 0): string {
  for (let at = 0, found = -1; ; at += 1) {
    const id = `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`;
    if (shardMap.of(id) === shard && ++found === number) return id;
  }
}

export function configOf(overrides: Partial<MonitorConfig> & { shard?: number } = {}): MonitorConfig {
  const { shard = 2, ...settings } = overrides;
  return {
    monitor_id: idIn(
      shard,
    ), organization_id: 'o', project_id: 'p', revision: 1, check_revision: settings.revision ??
      1, name: 'monitor', target: 'https://example.org/', type: 'HTTP', status: 'active',
    interval_ms: 60_000, timeout_ms: 10_000, retries: 1, recoveries: 0, quorum: 'majority',
    slow_response_threshold_ms: null, runbook_url: null, alert_severity: null, group_id: null,
    name_server: null,
    notification_target_ids: [], depends_on: [], monitoring_regions: [], assigned: null, domains: null, maintenance: [],
    tls_warning_days: [], tls_validity: false, domain_warning_days: [], domain_expires_at: null,
    heartbeat: null, changed_at: HOUR,
    ...settings,
  };
}

export function resultOf(config: MonitorConfig, overrides: Partial<CheckResult> = {}): CheckResult {
  const startedAt = overrides.started_at ?? HOUR;
  const outcome = overrides.outcome ?? 'success';
  return {
    seq: 1, monitor_id: config.monitor_id, assignment_rev: config.check_revision, attempt: 1,
    reason: 'schedule', scheduled_at: startedAt, started_at: startedAt,
    response_time_ms: outcome === 'success'
      ? 80
      : null, outcome, degraded: false, status_code: outcome === 'success' ? 200 : null,
    error: outcome === 'failure' ? { type: 'status_code', message: 'Expected 200, got 503' } : null,
    missed: outcome === 'missed' ? { reason: 'probe_down', count: 1 } : null, timings: null,
    remote_address: null, tls: null, detail: null, ...overrides,
  };
}

/** A batch of one lane; `results` must be numbered without a gap. */
export function batchOf(results: CheckResult[], overrides: Partial<ResultBatch> = {}): ResultBatch {
  return {
    epoch: 'e', engine: 'test', first: results[0]?.seq ?? 1, last: results.at(-1)?.seq ?? 1, results,
    dropped: [], ...overrides,
  };
}

export function storedOf(overrides: Partial<StoredResult> = {}): StoredResult {
  return {
    region: 'eu', probe_id: 'probe', scheduled_at: HOUR, started_at: HOUR, outcome: 'success',
    degraded: false, reason: 'schedule', attempt: 1, late: false,
    response_time_ms: 80, status_code: 200, error: null, missed: null, timings: null, ...overrides,
  };
}
