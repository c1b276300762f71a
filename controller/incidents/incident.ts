import type { MonitorType } from '../../shared/contracts/check-spec.ts';
import type { ErrorType } from '../../shared/contracts/result.ts';
import type { Severity } from '../verdicts/monitor-config.ts';

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
  /** The person it was assigned to when it was acknowledged; null when an API key did so for itself. */
  assignee_id: string | null;
  /** Name of the assignee, or of the key. */
  acknowledged_by_name: string | null;
  resolved_at: number | null;
  /** `system`, or the id of the user or key that resolved it. */
  resolved_by: string | null;
  recovery_time_seconds: number | null;
  /** Results that came late showed it when it was over, and nobody was alerted. Absent of every other one. */
  late?: true;
  /** Some notification of it has reached its receiver. */
  notification_sent: boolean;
  notification_channels: string[];
  postmortem: Postmortem | null;
  /** Title, monitor and error in the form that `search` compares with. */
  search_text: string;
  /** One higher with each change that people or the state machine make. */
  revision: number;
  /** Lines of the history that were written with their change and are not known to be in `incident_updates` yet. */
  pending_updates: IncidentUpdateDoc[];
  created_at: number;
  updated_at: number;
}

export interface Postmortem {
  text: string;
  author: UpdateActor;
  updated_at: number;
}

/** An incident without what its lists leave out. */
export type ListedIncident = Omit<IncidentDoc, 'postmortem' | 'pending_updates' | 'search_text'>;

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
