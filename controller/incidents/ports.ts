import type { MonitorType } from '../../shared/contracts/check-spec.ts';
import type { ErrorType } from '../../shared/contracts/result.ts';
import type { Tenant } from '../accounts/tenant.ts';
import type { DeliveryDoc } from '../delivery/delivery.ts';
import type { RuntimeStatus } from '../verdicts/monitor-config.ts';
import type { NotificationQuery } from './schema.ts';

export interface KnownMonitor {
  name: string;
  type: MonitorType;
}

/** What incidents need of monitors. */
export interface MonitorLookup {
  /** Name and type of those of `ids` that are living monitors of this project. */
  known(tenant: Tenant, ids: string[]): Promise<Map<string, KnownMonitor>>;
}

/** A result of a monitor as a timeline shows it; `started_at` is Unix ms. */
export interface SeenResult {
  region: string;
  probe_id: string;
  started_at: number;
  outcome: 'success' | 'failure' | 'missed';
  degraded: boolean;
  response_time_ms: number | null;
  status_code: number | null;
  error: { type: ErrorType; message: string } | null;
}

/** A monitor's status since `from`, Unix ms. */
export interface SeenStatus {
  status: RuntimeStatus;
  from: number;
  reason: string;
  incident_id: string | null;
}

/** What incidents need of results. Instants are Unix ms. */
export interface MonitorPast {
  /** Those that began before `before`, newest first. */
  statusSpans(monitorId: string, before: number, limit: number): Promise<SeenStatus[]>;
  /** Those that started from `from` to before `to`, newest first. */
  results(
    monitorId: string, query: { from: number; to: number; limit: number },
  ): Promise<{ results: SeenResult[] }>;
}

/** What incidents need of the state machine. */
export interface OutageLookup {
  /** The number of failed results in the current outages of these monitors, by incident id. */
  failures(monitorIds: string[]): Promise<Map<string, number>>;
}

/** What incidents need of accounts. */
export interface AssigneeLookup {
  /** Null unless this member of the organization has access to the project. */
  assignee(tenant: Tenant, userId: string): Promise<{ id: string; name: string } | null>;
}

/** What incidents need of deliveries. */
export interface NotificationLog {
  /** One page, newest first, and the number of all matches. */
  ofIncident(
    tenant: Tenant, incidentId: string, query: NotificationQuery,
  ): Promise<{ deliveries: DeliveryDoc[]; total: number }>;
}
