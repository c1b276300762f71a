import type { ErrorType } from '../../shared/contracts/result.ts';
import type { Severity } from '../results/ports.ts';
import type { IncidentDoc, IncidentSource, IncidentStatus, IncidentUpdateDoc } from './incident.ts';

export interface Tenant {
  organizationId: string;
  projectId: string;
}

export interface IncidentQuery {
  status?: IncidentStatus;
  severity?: Severity;
  source?: IncidentSource;
  type?: ErrorType;
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
  list(tenant: Tenant, query: IncidentQuery): Promise<{ incidents: IncidentDoc[]; total: number }>;
}

export interface IncidentUpdateReader {
  /** Oldest first, at most `limit`. */
  ofIncident(tenant: Tenant, incidentId: string, limit: number): Promise<IncidentUpdateDoc[]>;
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
