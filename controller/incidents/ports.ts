import type { Tenant } from '../accounts/tenant.ts';
import type { ErrorType } from '../../shared/contracts/result.ts';
import type { RuntimeStatus, Severity } from '../verdicts/monitor-config.ts';
import type { MonitorType } from '../../shared/contracts/check-spec.ts';
import type { CommentDoc } from './comments/comment.ts';
import type { IncidentDoc, IncidentSource, IncidentStatus, IncidentUpdateDoc, ListedIncident } from './incident.ts';

export interface IncidentQuery {
  status?: IncidentStatus;
  severity?: Severity;
  source?: IncidentSource;
  check_id?: string;
  /** Started at this instant or later, Unix ms. */
  from?: number;
  /** Started before this instant, Unix ms. */
  to?: number;
  search?: string;
  page: number;
  limit: number;
}

export interface IncidentReader {
  /** Null also when it belongs to somebody else. */
  find(tenant: Tenant, id: string): Promise<IncidentDoc | null>;
  /** One page, latest start first, and how many there are in all. */
  list(tenant: Tenant, query: IncidentQuery): Promise<{ incidents: ListedIncident[]; total: number }>;
}

/** What people change of an incident. */
export type IncidentChange = Partial<
  Pick<
    IncidentDoc,
    | 'status' | 'severity' | 'error_message' | 'affected_regions' | 'description' | 'acknowledged_at' | 'assignee_id' | 'acknowledged_by_name'
    | 'resolved_at' | 'resolved_by' | 'recovery_time_seconds' | 'postmortem' | 'search_text' | 'failure_count'
  >
> & Pick<IncidentDoc, 'updated_at'>;

/** The collection, as the verbs use it. */
export interface IncidentRepository extends IncidentReader {
  insert(doc: IncidentDoc): Promise<void>;
  /** Makes the change, with the lines of history that tell it, if the incident is still as it was seen; null when it is not. */
  change(seen: IncidentDoc, change: IncidentChange, updates: IncidentUpdateDoc[]): Promise<IncidentDoc | null>;
  /** The lines that this incident carries are in the history. Does nothing when it has changed since. */
  forgetPending(copied: IncidentDoc): Promise<void>;
}

export interface IncidentUpdateReader {
  /** Oldest first, at most `limit`. */
  ofIncident(tenant: Tenant, incidentId: string, limit: number): Promise<IncidentUpdateDoc[]>;
}

export interface IncidentUpdateRepository extends IncidentUpdateReader {
  insertIfAbsent(doc: IncidentUpdateDoc): Promise<void>;
}

/** The comments, as the verbs use them. */
export interface CommentRepository {
  insert(doc: CommentDoc): Promise<void>;
  /** Null also when it is of another incident or tenant. */
  find(tenant: Tenant, incidentId: string, id: string): Promise<CommentDoc | null>;
  /** Oldest first, deleted ones too. */
  list(tenant: Tenant, incidentId: string, limit: number): Promise<CommentDoc[]>;
  count(tenant: Tenant, incidentId: string): Promise<number>;
  /** Changes a comment that is not deleted; null when it is. */
  change(seen: CommentDoc, change: Partial<Pick<CommentDoc, 'comment_text' | 'is_internal' | 'updated_at' | 'deleted_at'>>): Promise<CommentDoc | null>;
}

/** What incidents ask of the monitors. */
export interface MonitorLookup {
  /** Name and type of those of `ids` that are living monitors of this project. */
  known(tenant: Tenant, ids: string[]): Promise<Map<string, { name: string; type: MonitorType }>>;
}

/** A result of a monitor, as a timeline shows it; `started_at` is Unix ms. */
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

/** What incidents ask of the results. */
export interface MonitorPast {
  /** Newest first, those that began before `before` (Unix ms). */
  statusSpans(monitorId: string, before: number, limit: number): Promise<SeenStatus[]>;
  /** Newest first, those that started from `from` to before `to` (Unix ms). */
  results(monitorId: string, query: { from: number; to: number; limit: number }): Promise<{ results: SeenResult[] }>;
}

/** What incidents ask of the state machine. */
export interface OutageLookup {
  /** How many results have failed so far in the outages that these monitors are in, by the ids of their incidents. */
  failures(monitorIds: string[]): Promise<Map<string, number>>;
}

/** What incidents ask of the accounts. */
export interface AssigneeLookup {
  /** The person, when it is a member of the organization with access to the project; else null. */
  assignee(tenant: Tenant, userId: string): Promise<{ id: string; name: string } | null>;
}

export const NOTIFICATION_STATUSES = ['pending', 'delivered', 'failed', 'bounced'] as const;
export const NOTIFICATION_CHANNELS = ['email', 'webhook', 'slack'] as const;

/** One entry of the notification log: one incident, event and recipient. Instants are Unix ms. */
export interface NotificationEntry {
  id: string;
  incident_id: string;
  channel: (typeof NOTIFICATION_CHANNELS)[number];
  recipient: string;
  status: (typeof NOTIFICATION_STATUSES)[number];
  delivered_at: number | null;
  error_message: string | null;
  retry_count: number;
  max_retries: number;
  last_retry_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface NotificationQuery {
  status?: NotificationEntry['status'];
  channel?: NotificationEntry['channel'];
  page: number;
  pageSize: number;
}

/** Read side of the deliveries, for the log of one incident. */
export interface NotificationLog {
  /** One page, newest first, and how many there are in all. */
  ofIncident(tenant: Tenant, incidentId: string, query: NotificationQuery): Promise<{ entries: NotificationEntry[]; total: number }>;
}
