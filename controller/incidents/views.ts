import { z } from 'zod';
import { MONITOR_TYPES } from '../../shared/contracts/check-spec.ts';
import { ERROR_TYPES } from '../../shared/contracts/result.ts';
import { isoTime } from '../../shared/time.ts';
import { INCIDENT_SOURCES, INCIDENT_STATUSES, SEVERITIES, UPDATE_KINDS, type IncidentDoc, type IncidentUpdateDoc, type ListedIncident } from './incident.ts';
import { NOTIFICATION_CHANNELS, NOTIFICATION_STATUSES, type NotificationEntry } from './ports.ts';

const instant = z.string().meta({ format: 'date-time' });

export const incidentView = z
  .strictObject({
    id: z.string().meta({ format: 'uuid' }),
    organization_id: z.string(),
    project_id: z.string(),
    created_by: z.string().nullable().describe('Null when checks opened it'),
    check_id: z.string().nullable().describe('The monitor'),
    monitor_name: z.string().nullable(),
    check_type: z.enum(MONITOR_TYPES).nullable(),
    status: z.enum(INCIDENT_STATUSES),
    severity: z.enum(SEVERITIES),
    type: z.enum(ERROR_TYPES),
    source: z.enum(INCIDENT_SOURCES),
    title: z.string(),
    description: z.string().nullable(),
    status_page_update: z.string().nullable(),
    error_message: z.string(),
    affected_regions: z.array(z.string()),
    affected_monitor_ids: z.array(z.string()),
    failure_count: z.int().describe('Failed results since the outage began'),
    started_at: instant,
    acknowledged_at: instant.nullable(),
    assignee_id: z.string().nullable().describe('The assignee since the acknowledgement; null for an API key'),
    acknowledged_by_name: z.string().nullable().describe('Name of the assignee, or of the API key'),
    resolved_at: instant.nullable(),
    resolved_by: z.string().nullable().describe('`system`, or the id of the user or key that resolved it'),
    recovery_time_seconds: z.int().optional().describe('From start to resolution; present once resolved'),
    late: z.boolean().describe('Late results revealed the outage after it had ended; nobody was alerted'),
    notification_sent: z.boolean().describe('At least one notification was delivered'),
    notification_channels: z.array(z.string()),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Incident' });

/** An incident as the API shows it. */
export function showIncident(doc: ListedIncident | IncidentDoc): z.input<typeof incidentView> {
  const { _id, revision: _revision, search_text: _search, pending_updates: _pending, postmortem: _text, recovery_time_seconds, ...rest } = doc as IncidentDoc;
  return {
    id: _id,
    ...rest,
    late: doc.late ?? false,
    started_at: isoTime(doc.started_at),
    acknowledged_at: isoTime(doc.acknowledged_at),
    resolved_at: isoTime(doc.resolved_at),
    created_at: isoTime(doc.created_at),
    updated_at: isoTime(doc.updated_at),
    recovery_time_seconds: recovery_time_seconds ?? undefined,
  };
}

const actorView = z.strictObject({ type: z.enum(['system', 'user', 'api_key']), id: z.string().nullable(), name: z.string() });

export const fullIncidentView = incidentView
  .extend({
    postmortem: z.strictObject({ text: z.string(), author: actorView, updated_at: instant }).nullable(),
  })
  .meta({ id: 'FullIncident' });

/** An incident with what its lists leave out. */
export function showFullIncident(doc: IncidentDoc): z.input<typeof fullIncidentView> {
  const { postmortem } = doc;
  return { postmortem: postmortem === null ? null : { ...postmortem, updated_at: isoTime(postmortem.updated_at) }, ...showIncident(doc) };
}

const changedValue = z.union([z.string(), z.array(z.string()), z.null()]);

export const incidentUpdateView = z
  .strictObject({
    id: z.string().meta({ format: 'uuid' }),
    incident_id: z.string(),
    kind: z.enum(UPDATE_KINDS),
    field: z.string().optional(),
    from: changedValue.optional().describe('The value before'),
    to: changedValue.optional().describe('The value after'),
    note: z.string().optional(),
    actor: actorView,
    created_at: instant,
  })
  .meta({ id: 'IncidentUpdate' });

/** A line of an incident's history as the API shows it. */
export function showIncidentUpdate(doc: IncidentUpdateDoc): z.input<typeof incidentUpdateView> {
  const { _id, organization_id: _organization, project_id: _project, ...rest } = doc;
  return { id: _id, ...rest, created_at: isoTime(doc.created_at) };
}

export const notificationView = z
  .strictObject({
    id: z.string().meta({ format: 'uuid' }),
    incident_id: z.string(),
    channel: z.enum(NOTIFICATION_CHANNELS),
    recipient: z.string().describe('Address or channel name'),
    status: z.enum(NOTIFICATION_STATUSES),
    delivered_at: instant.nullable(),
    error_message: z.string().nullable(),
    retry_count: z.int(),
    max_retries: z.int(),
    last_retry_at: instant.nullable(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'IncidentNotification' });

/** An entry of the notification log as the API shows it. */
export function showNotification(entry: NotificationEntry): z.input<typeof notificationView> {
  return {
    ...entry,
    delivered_at: isoTime(entry.delivered_at),
    last_retry_at: isoTime(entry.last_retry_at),
    created_at: isoTime(entry.created_at),
    updated_at: isoTime(entry.updated_at),
  };
}
