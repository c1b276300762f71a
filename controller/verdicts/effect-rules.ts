import { derivedId } from '../../shared/ids.ts';
import type { ErrorType } from '../../shared/contracts/result.ts';
import type { AlertEvent } from './effect.ts';
import type { RuntimeStatus, Severity } from './monitor-config.ts';
import type { ItemPlace, MonitorEffect, MonitorState, Outage } from './monitor-state.ts';

export const SEVERITY: Record<ErrorType, Severity> = {
  timeout: 'critical', connection_error: 'critical', dns_error: 'critical', ssl_error: 'critical',
  status_code: 'major', keyword_missing: 'major', dns_validation_error: 'major', slow_response: 'warning',
};

/** Regions whose verdict is down. */
export function downRegions(state: MonitorState): string[] {
  return Object.keys(state.regions).filter((name) => state.regions[name]?.verdict === 'down');
}

/** Opens the incident of an outage or of a slow stretch in `regions`. */
export function opening(state: MonitorState, outage: Outage, regions: string[]): MonitorEffect {
  return {
    kind: 'open',
    opening: {
      id: outage.incident_id, monitor: state.config, severity: outage.severity, type: outage.type, error_message: outage.message,
      affected_regions: regions, failure_count: outage.failure_count, started_at: outage.started_at,
    },
  };
}

/** Resolves it, not before its start. */
export function resolution(state: MonitorState, outage: Outage, at: number): MonitorEffect {
  return {
    kind: 'resolve',
    resolution: { id: outage.incident_id, monitor: state.config, resolved_at: Math.max(at, outage.started_at), failure_count: outage.failure_count },
  };
}

/** Tells of its beginning (`resolvedAt` null) or end. */
export function alert(
  state: MonitorState, outage: Outage, event: AlertEvent, told: { resolvedAt: number | null; regions: string[] }, place: ItemPlace,
): MonitorEffect {
  const { resolvedAt, regions } = told;
  return {
    kind: 'alert',
    alert: {
      id: derivedId(state.config.monitor_id, place.n, place.index, event), event, monitor: state.config,
      incident: { id: outage.incident_id, started_at: outage.started_at, resolved_at: resolvedAt },
      error: { type: outage.type, message: outage.message }, regions,
      last_success: state.last_success_at === null ? null : { at: state.last_success_at, response_time_ms: state.last_success_ms ?? null },
      at: resolvedAt ?? outage.started_at,
    },
  };
}

/** A line of the status history. */
export function statusEffect(state: MonitorState, from: RuntimeStatus, at: number, place: ItemPlace, reason: string, incidentId?: string): MonitorEffect {
  const { config } = state;
  return {
    kind: 'status',
    change: {
      id: derivedId(config.monitor_id, place.n, place.index, 'status'), monitor_id: config.monitor_id, organization_id: config.organization_id,
      project_id: config.project_id, from, to: state.status, at, reason, incident_id: incidentId ?? state.outage?.incident_id ?? null,
    },
  };
}
