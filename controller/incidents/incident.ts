import type { WorkClaim } from '../../shared/work-claims.ts';
import type { MonitorType } from '../../shared/contracts/check-spec.ts';
import type { ErrorType } from '../../shared/contracts/result.ts';
import type { Severity } from '../verdicts/monitor-config.ts';

export const INCIDENT_STATUSES = ['open', 'acknowledged', 'resolved', 'closed'] as const;
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number];
export const SEVERITIES = ['critical', 'major', 'minor', 'warning'] as const satisfies readonly Severity[];
export const INCIDENT_SOURCES = ['system', 'manual'] as const;

/** A document of `incidents`; `answers.ts` describes the fields that both have. Instants are Unix ms. */
export interface IncidentDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  created_by: string | null;
  check_id: string | null;
  monitor_name: string | null;
  check_type: MonitorType | null;
  status: IncidentStatus;
  severity: Severity;
  type: ErrorType;
  source: (typeof INCIDENT_SOURCES)[number];
  title: string;
  description: string | null;
  status_page_update: string | null;
  error_message: string;
  affected_regions: string[];
  affected_monitor_ids: string[];
  failure_count: number;
  started_at: number;
  acknowledged_at: number | null;
  assignee_id: string | null;
  acknowledged_by_name: string | null;
  resolved_at: number | null;
  resolved_by: string | null;
  recovery_time_seconds: number | null;
  late?: true;
  /** When the maintenance in which it began was to end. */
  maintenance_until?: number;
  notification_sent: boolean;
  notification_channels: string[];
  postmortem: { text: string; author: UpdateActor; updated_at: number } | null;
  /** Title, monitor and error as `searchText` folds them. */
  search_text: string;
  /** Grows by one with each change by people or the state machine. */
  revision: number;
  /** Shard of its monitor, until the journal there knows that a person has ended the incident. */
  unjournaled?: number;
  /** When pages are to be told of the last change, Unix ms; absent once they were. */
  pages_due?: number;
  /** Of the controller that tells pages now; a change removes it. */
  claim?: WorkClaim;
  /** Pages that have been given a post on it; absent until pages were first told. */
  notified_page_ids?: string[];
  /** Lines of history that were written with their change and are not yet copied to `incident_updates`. */
  pending_updates: IncidentUpdateDoc[];
  created_at: number;
  updated_at: number;
}

/** An incident that is open or acknowledged, as its monitor shows it. */
export interface OpenIncident extends Pick<IncidentDoc, 'severity' | 'started_at'> {
  id: string;
  monitor_id: string | null;
  status: 'open' | 'acknowledged';
}

/** What people or the state machine write to an incident. */
export type IncidentChange = Partial<Omit<IncidentDoc, '_id'>> & Pick<IncidentDoc, 'updated_at'>;

/** An incident in a list. */
export type ListedIncident =
  Omit<IncidentDoc,
    'postmortem' | 'pending_updates' | 'search_text' | 'unjournaled' | 'pages_due' | 'claim' | 'notified_page_ids'>;

export const UPDATE_KINDS = ['created', 'status_change', 'field_change', 'region_change'] as const;

/** The author of a change. `id` is null for the system. */
export interface UpdateActor {
  type: 'system' | 'user' | 'api_key';
  id: string | null;
  name: string;
}

/** A document of `incident_updates`: one line of an incident's history, in the order of `created_at`. */
export interface IncidentUpdateDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  incident_id: string;
  kind: (typeof UPDATE_KINDS)[number];
  field?: string;
  from?: string | string[] | null;
  to?: string | string[] | null;
  note?: string;
  actor: UpdateActor;
  created_at: number;
}
