import { z } from 'zod';
import { MONITOR_TYPES } from '../../shared/contracts/check-spec.ts';
import { ERROR_TYPES, errorLayer } from '../../shared/contracts/result.ts';
import { changeView } from '../changes/schema.ts';
import { DELIVERY_STATUSES } from '../delivery/delivery.ts';
import { DESTINATION_TYPES } from '../destinations/channels/registry.ts';
import { diagnosisSummary } from '../diagnosis/responses.ts';
import { VOTE_WEIGHTS } from '../verdicts/effect.ts';
import { INCIDENT_SOURCES, INCIDENT_STATUSES, SEVERITIES, UPDATE_KINDS } from './incident.ts';

const instant = z.string().meta({ format: 'date-time' });
const uuid = z.string().meta({ format: 'uuid' });
const text = z.string().nullable();
const timestamps = { created_at: instant, updated_at: instant };

export const incidentView = z
  .strictObject({
    id: uuid,
    organization_id: z.string(),
    project_id: z.string(),
    created_by: text.describe('Null when checks opened it'),
    check_id: text.describe('The monitor'),
    monitor_name: text,
    check_type: z.enum(MONITOR_TYPES).nullable(),
    status: z.enum(INCIDENT_STATUSES),
    severity: z.enum(SEVERITIES),
    type: z.enum(ERROR_TYPES),
    source: z.enum(INCIDENT_SOURCES),
    title: z.string(),
    description: text,
    status_page_update: text,
    error_message: z.string(),
    runbook_url: text.describe('That of the monitor when the incident opened'),
    affected_regions: z.array(z.string()),
    affected_monitor_ids: z.array(z.string()),
    failure_count: z.int().describe('Failed results since the outage started'),
    started_at: instant,
    acknowledged_at: instant.nullable(),
    assignee_id: text.describe('The assignee since the incident was acknowledged; null for an API key or a recipient'),
    acknowledged_by_name: text.describe('Name of the assignee, of the API key, or of the recipient of an alert'),
    resolved_at: instant.nullable(),
    resolved_by: text.describe('`system`, or the id of the user or key that resolved it'),
    recovery_time_seconds: z.int().optional().describe('From start to resolution; present once resolved'),
    late: z.boolean().describe('Late results revealed the outage after it had ended; no alerts were sent'),
    in_maintenance: z.boolean().describe('It started during a maintenance window'),
    held_by: z.strictObject({ monitor_id: uuid, name: z.string() }).nullable()
      .describe('The dependency of the monitor that holds its alert; null if none does'),
    cause_id: text.describe('What it has in common with other incidents; null without one'),
    diagnosis: diagnosisSummary.nullable().describe('Where the outage comes from; null before that is known'),
    notification_sent: z.boolean().describe('At least one notification was delivered'),
    notification_channels: z.array(z.string()),
    ...timestamps,
  })
  .meta({ id: 'Incident' });

const actor = z.strictObject({
  type: z.enum(['system', 'user', 'api_key', 'destination']), id: text, name: z.string(),
});

const postmortem = z.strictObject({ text: z.string(), author: actor, updated_at: instant });

export const fullIncidentView = incidentView
  .extend({ postmortem: postmortem.nullable() })
  .meta({ id: 'FullIncident' });

export const readIncidentView = fullIncidentView
  .extend({ changes: z.array(changeView).describe('Of the 30 minutes before it, newest first') })
  .meta({ id: 'ReadIncident' });

const changedValue = z.union([z.string(), z.array(z.string()), z.null()]);

export const incidentUpdateView = z
  .strictObject({
    id: uuid,
    incident_id: z.string(),
    kind: z.enum(UPDATE_KINDS),
    field: z.string().optional(),
    from: changedValue.optional().describe('The value before'),
    to: changedValue.optional().describe('The value after'),
    note: z.string().optional(),
    actor,
    created_at: instant,
  })
  .meta({ id: 'IncidentUpdate' });

export const notificationView = z
  .strictObject({
    id: uuid,
    incident_id: z.string(),
    channel: z.enum(DESTINATION_TYPES),
    recipient: z.string().describe('Address or channel name'),
    status: z.enum(DELIVERY_STATUSES),
    delivered_at: instant.nullable(),
    error_message: text,
    retry_count: z.int(),
    max_retries: z.int(),
    last_retry_at: instant.nullable(),
    ...timestamps,
  })
  .meta({ id: 'IncidentNotification' });

export const commentView = z
  .strictObject({
    id: uuid,
    incident_id: z.string(),
    user_id: text,
    user_email: text,
    user_name: text,
    comment_text: z.string().describe('Empty once deleted'),
    is_internal: z.boolean(),
    ...timestamps,
    deleted_at: instant.nullable(),
  })
  .meta({ id: 'IncidentComment' });

const isAllowed = z.boolean().describe('Whether the caller can do this now');

export const listedCommentView = commentView
  .extend({ can_edit: isAllowed, can_delete: isAllowed })
  .meta({ id: 'ListedIncidentComment' });

const castVote = z
  .strictObject({
    at: instant.nullable().describe('When its latest check started, or when a witness responded'),
    verdict: z.enum(['down', 'up']).describe('The verdict that this vote was for'),
    region: z.string(),
    probe_id: text,
    vote: z.enum(['up', 'down', 'none']),
    weight: z.enum(VOTE_WEIGHTS),
    reason: text.describe('Why it has no vote, or that its failure is not confirmed yet'),
    error: z.strictObject({
      type: z.enum(ERROR_TYPES), message: z.string(), layer: errorLayer.optional(),
    }).nullable(),
    attempt: z.int().nullable().describe('Consecutive failed checks'),
    engine: text.describe('Version of the probe'),
  })
  .meta({ id: 'IncidentVote' });

export const incidentVotesView = z.strictObject({
  votes: z.array(castVote).describe('Votes for the verdict that opened the incident, then for the one that ended it'),
  policy: z.strictObject({
    regions: z.union([z.enum(['majority', 'any', 'all']), z.int()]), retries: z.int(),
  }).nullable().describe('The confirmation policy at that time; null without votes'),
  verdict: z.enum(['down', 'up']).nullable().describe('The latest one'),
});

const result = z.strictObject({
  region: z.string(),
  probe_id: text.describe('Null for a ping'),
  success: z.boolean(),
  outcome: z.enum(['success', 'failure', 'missed']),
  degraded: z.boolean(),
  response_time_ms: z.number().nullable(),
  status_code: z.int().nullable(),
  error: z.strictObject({ type: z.string(), message: z.string() }).nullable(),
});

const state = z.strictObject({
  status: z.enum(['up', 'down', 'degraded', 'paused', 'unknown']),
  in_maintenance: z.boolean(),
  reason: z.string(),
  incident_id: text,
});

export const timelineEntryView = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('result'), at: instant, result }),
    z.strictObject({ kind: z.literal('state'), at: instant, state }),
    z.strictObject({ kind: z.literal('update'), at: instant, update: incidentUpdateView }),
    z.strictObject({ kind: z.literal('notification'), at: instant, notification: notificationView }),
    z.strictObject({ kind: z.literal('comment'), at: instant, comment: commentView }),
  ])
  .meta({ id: 'IncidentTimelineEntry' });
