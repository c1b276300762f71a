import type { MonitorType } from '../../shared/contracts/check-spec.ts';
import type { ErrorType } from '../../shared/contracts/result.ts';
import type { Severity } from '../results/ports.ts';

export const INCIDENT_STATUSES = ['open', 'acknowledged', 'resolved', 'closed'] as const;
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number];
export const SEVERITIES = ['critical', 'major', 'minor', 'warning'] as const satisfies readonly Severity[];
export const INCIDENT_SOURCES = ['system', 'manual'] as const;
export type IncidentSource = (typeof INCIDENT_SOURCES)[number];

/** A document of `incidents`. Instants are Unix ms. */
export interface IncidentDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  /** Who made it through the API; null: the state machine opened it. */
  created_by: string | null;
  /** Monitor it relates to; null for one that stands alone. */
  check_id: string | null;
  monitor_name: string | null;
  check_type: MonitorType | null;
  status: IncidentStatus;
  severity: Severity;
  type: ErrorType;
  source: IncidentSource;
  title: string;
  description: string | null;
  status_page_update: string | null;
  error_message: string;
  affected_regions: string[];
  affected_monitor_ids: string[];
  failure_count: number;
  started_at: number;
  acknowledged_at: number | null;
  acknowledged_by: string | null;
  acknowledged_by_name: string | null;
  resolved_at: number | null;
  /** `system`, or the id of the user or key that resolved it. */
  resolved_by: string | null;
  recovery_time_seconds: number | null;
  /** Some notification of it has reached its receiver. */
  notification_sent: boolean;
  notification_channels: string[];
  /** Title, monitor and error in the form that `search` compares with. */
  search_text: string;
  created_at: number;
  updated_at: number;
}

export const UPDATE_KINDS = ['created', 'status_change', 'field_change'] as const;

/** Who did something to an incident. `id` is null for the system. */
export interface UpdateActor {
  type: 'system' | 'user' | 'api_key';
  id: string | null;
  name: string;
}

/** Value of a field that people change. */
export type ChangedValue = string | string[] | null;

/** A document of `incident_updates`: one real change, in the order of `created_at`. */
export interface IncidentUpdateDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  incident_id: string;
  kind: (typeof UPDATE_KINDS)[number];
  field?: string;
  from?: ChangedValue;
  to?: ChangedValue;
  note?: string;
  actor: UpdateActor;
  created_at: number;
}
