import type { CheckResult } from '../../shared/contracts/result.ts';
import type { Tenant } from '../access/tenant.ts';
import type { Change } from '../changes/change.ts';
import type { DeliveryDoc } from '../delivery/delivery.ts';
import type { DiagnosisSummary } from '../diagnosis/diagnosis.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';
import type { RuntimeStatus } from '../verdicts/monitor-config.ts';
import type { NotificationQuery } from './schema.ts';

export type MonitorSummary = Pick<MonitorDoc, 'name' | 'type'>;

/** A result as the timeline shows it. `started_at` is Unix ms. */
export interface TimelineResult extends Pick<
  CheckResult, 'started_at' | 'outcome' | 'degraded' | 'response_time_ms' | 'status_code' | 'error'
> {
  region: string;
  probe_id: string;
}

/** A monitor's status since `from`, Unix ms. */
export interface TimelineStatus {
  status: RuntimeStatus;
  in_maintenance: boolean;
  from: number;
  reason: string;
  incident_id: string | null;
}

/** What incidents need from results. Instants are Unix ms. */
export interface MonitorHistoryReader {
  /** Spans that started before `before`, newest first. */
  statusSpans(monitorId: string, before: number, limit: number): Promise<TimelineStatus[]>;
  /** Results that started from `from` until before `to`, newest first. */
  results(
    monitorId: string, query: { from: number; to: number; limit: number },
  ): Promise<{ results: TimelineResult[] }>;
}

/** What incidents need from changes. */
export interface ChangesPort {
  /** Those of the 30 minutes before an incident of the monitor began (Unix ms), newest first. */
  before(tenant: Tenant, monitorId: string, startedAt: number): Promise<Change[]>;
}

/** Decides what incidents have in common. Calls may be repeated. */
export interface CausesPort {
  /** Returns the ids of incidents that got a cause, after an incident that may have one began (Unix ms). */
  decide(organizationId: string, startedAt: number): Promise<string[]>;
  /** Ends the cause if no incident of it is open. */
  endIfOver(causeId: string): Promise<void>;
}

/** Where outages come from. */
export interface DiagnosesPort {
  /** What the monitor's diagnosis of the last ten minutes before `now` (Unix ms) says; null without one. */
  latestSummary(tenant: Tenant, monitorId: string, now: number): Promise<DiagnosisSummary | null>;
}

/** What incidents need from deliveries. */
export interface NotificationLog {
  /** Returns one page, newest first, and the total number of matches. */
  ofIncident(
    tenant: Tenant, incidentId: string, query: NotificationQuery,
  ): Promise<{ deliveries: DeliveryDoc[]; total: number }>;
}
