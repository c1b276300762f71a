import type { MonitorType } from '../../shared/contracts/check-spec.ts';
import type { ErrorType } from '../../shared/contracts/result.ts';
import type { DiagnosisSummary } from '../diagnosis/diagnosis.ts';
import type { Severity } from '../verdicts/monitor-config.ts';
import type { WorkClaim } from '../work/claimed-work.ts';

export const INCIDENT_STATUSES = ['open', 'acknowledged', 'resolved', 'closed'] as const;
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number];
export const SEVERITIES = ['critical', 'major', 'minor', 'warning'] as const satisfies readonly Severity[];
export const INCIDENT_SOURCES = ['system', 'manual'] as const;

/**
 * A document of `incidents`. `responses.ts` describes the fields that the API shows. Instants are Unix ms.
 */
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
  /** That of the monitor when it opened. */
  runbook_url: string | null;
  affected_regions: string[];
  affected_monitor_ids: string[];
  failure_count: number;
  started_at: number;
  /** What the outage can be about; absent if it has no common cause with others. */
  features?: string[];
  /** What it has in common with other incidents; absent until that is known. */
  cause_id?: string;
  /** Where its outage comes from; absent before that is known. */
  diagnosis?: DiagnosisSummary;
  acknowledged_at: number | null;
  assignee_id: string | null;
  acknowledged_by_name: string | null;
  resolved_at: number | null;
  resolved_by: string | null;
  recovery_time_seconds: number | null;
  late?: true;
  /** Scheduled end of the maintenance window in which it started. */
  maintenance_until?: number;
  /** The dependency of its monitor that holds its alert; absent if none does. */
  held_by?: { monitor_id: string; name: string };
  notification_sent: boolean;
  notification_channels: string[];
  postmortem: { text: string; author: UpdateActor; updated_at: number } | null;
  /** Title, monitor name and error, normalized by `searchText`. */
  search_text: string;
  /** Increases by one with each change by people or the state machine. */
  revision: number;
  /** Shard of the monitor, until its journal records that a person ended the incident. */
  unjournaled?: number;
  /** When to notify status pages of the last change; absent after they were notified. */
  pages_due?: number;
  /** Held by the controller that is notifying status pages. A change removes it. */
  claim?: WorkClaim;
  /** Status pages with a post about it; absent until pages are first notified. */
  notified_page_ids?: string[];
  /** History entries that are written with their change and not yet copied to `incident_updates`. */
  pending_updates: IncidentUpdateDoc[];
  created_at: number;
  updated_at: number;
}

/** A change to an incident by people or the state machine. */
export type IncidentChange = Partial<Omit<IncidentDoc, '_id'>> & Pick<IncidentDoc, 'updated_at'>;

export type ListedIncident =
  Omit<IncidentDoc,
    | 'postmortem' | 'pending_updates' | 'search_text' | 'unjournaled' | 'pages_due' | 'claim'
    | 'notified_page_ids' | 'features'>;

export const UPDATE_KINDS = ['created', 'status_change', 'field_change', 'region_change'] as const;

/** The author of a change. `id` is null for the system. A destination: whoever received an alert there. */
export interface UpdateActor {
  type: 'system' | 'user' | 'api_key' | 'destination';
  id: string | null;
  name: string;
}

/** A document of `incident_updates`: one history entry, ordered by `created_at`. */
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
