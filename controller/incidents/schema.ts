import { z } from 'zod';
import { ERROR_TYPES } from '../../shared/contracts/result.ts';
import { DELIVERY_STATUSES } from '../delivery/delivery.ts';
import { DESTINATION_TYPES } from '../destinations/channels/registry.ts';
import { instantInput, queryInt, readOnlyFields, uuidParam, characters } from '../http/input/validation.ts';
import { INCIDENT_SOURCES, INCIDENT_STATUSES, SEVERITIES } from './incident.ts';

/** Bounds the number of documents that the database must skip. */
const MAX_PAGE = 10_000;

export const incidentListQuery = z.strictObject({
  status: z.enum(INCIDENT_STATUSES).optional(),
  severity: z.enum(SEVERITIES).optional(),
  source: z.enum(INCIDENT_SOURCES).optional(),
  check_id: uuidParam.optional(),
  from: instantInput.describe('Started at this instant or later').optional(),
  to: instantInput.describe('Started before this instant').optional(),
  search: z.string().max(255).optional()
    .describe('Literal text in the title, the monitor\'s name or the error; ignores case'),
  page: queryInt({ min: 1, max: MAX_PAGE, fallback: 1 }),
  limit: queryInt({ min: 1, max: 100, fallback: 20 }),
});
export type IncidentQuery = z.output<typeof incidentListQuery>;

export const notificationListQuery = z.strictObject({
  status: z.enum(DELIVERY_STATUSES).optional(),
  channel: z.enum(DESTINATION_TYPES).optional(),
  page: queryInt({ min: 1, max: MAX_PAGE, fallback: 1 }),
  pageSize: queryInt({ min: 1, max: 100, fallback: 10 }),
});
export type NotificationQuery = z.output<typeof notificationListQuery>;

const errorMessage = characters(1000).min(1);
const description = characters(2000);
const regions = z.array(characters(100).min(1)).max(100);
// eslint-disable-next-line no-control-regex
const hasNoControls = (text: string) => !/[\u0000-\u001f\u007f]/.test(text);
const title = characters(255).min(1).refine(hasNoControls, 'Must not contain control characters')
  .meta({ pattern: '^[^\\u0000-\\u001f\\u007f]*$' });

const readOnly = readOnlyFields(
  'id', 'organization_id', 'project_id', 'created_by', 'monitor_name', 'check_type', 'status',
  'acknowledged_at', 'assignee_id', 'acknowledged_by_name', 'resolved_at', 'resolved_by',
  'recovery_time_seconds', 'late', 'in_maintenance', 'held_by', 'notification_sent', 'notification_channels',
  'postmortem', 'runbook_url', 'cause_id', 'diagnosis', 'changes', 'created_at', 'updated_at',
);

export const incidentInput = z.strictObject({
  ...readOnly,
  severity: z.enum(SEVERITIES),
  type: z.enum(ERROR_TYPES),
  error_message: errorMessage,
  title: title.describe('Required unless `check_id` is given, and for `source: manual`').optional(),
  check_id: uuidParam.describe('The monitor').optional(),
  source: z.enum(INCIDENT_SOURCES).describe('`system` when `check_id` is given, else `manual`').optional(),
  description: description.optional(),
  status_page_update: characters(1000).optional(),
  affected_regions: regions.default([]),
  affected_monitor_ids: z.array(uuidParam).max(100).default([]),
  failure_count: z.int().min(1).max(1_000_000_000).default(1),
  started_at: instantInput.describe('Default: now').optional(),
});
export type IncidentInput = z.output<typeof incidentInput>;

export const incidentChangeInput = z.strictObject({
  ...readOnly,
  ...readOnlyFields(
    'check_id', 'type', 'source', 'title', 'status_page_update', 'affected_monitor_ids', 'failure_count',
    'started_at',
  ),
  severity: z.enum(SEVERITIES).optional(),
  error_message: errorMessage.optional(),
  affected_regions: regions.describe('Replaces the list').optional(),
  description: description.nullable().describe('Null clears it').optional(),
});
export type IncidentChangeInput = z.output<typeof incidentChangeInput>;

export const statusInput = z.strictObject({
  status: z.enum(INCIDENT_STATUSES),
  note: characters(500).describe('Stored with the change in the history').optional(),
  assignee_id: uuidParam.describe('The assignee of an acknowledged incident; default: the caller').optional(),
});
export type StatusInput = z.output<typeof statusInput>;

export const postmortemInput = z.strictObject({
  text: characters(50_000).describe('Plain text; an empty string removes it'),
});

export const commentParams = z.strictObject({ id: uuidParam, commentId: uuidParam });

const commentReadOnly = readOnlyFields(
  'id', 'incident_id', 'user_id', 'user_email', 'user_name', 'created_at', 'updated_at', 'deleted_at',
  'can_edit', 'can_delete',
);
const commentText = characters(5000).min(1);

export const commentInput = z.strictObject({
  ...commentReadOnly, comment_text: commentText, is_internal: z.boolean().default(false),
});
export type CommentInput = z.output<typeof commentInput>;

export const commentChangeInput = z.strictObject({
  ...commentReadOnly, comment_text: commentText, is_internal: z.boolean().optional(),
});
export type CommentChangeInput = z.output<typeof commentChangeInput>;
