import { z } from 'zod';
import { ERROR_TYPES } from '../../shared/contracts/result.ts';
import { instantInput, readOnlyFields, uuidParam } from '../http/params.ts';
import { INCIDENT_SOURCES, INCIDENT_STATUSES, SEVERITIES } from './incident.ts';

const errorMessage = z.string().min(1).max(1000);
const description = z.string().max(2000);
const regions = z.array(z.string().min(1).max(100)).max(100);

const title = z
  .string()
  .min(1)
  .max(255)
  // eslint-disable-next-line no-control-regex
  .refine((text) => !/[\u0000-\u001f\u007f]/.test(text), 'Must not contain control characters');

const readOnly = readOnlyFields(
  'id', 'organization_id', 'project_id', 'created_by', 'monitor_name', 'check_type', 'status',
  'acknowledged_at', 'assignee_id', 'acknowledged_by_name', 'resolved_at', 'resolved_by', 'recovery_time_seconds',
  'late', 'notification_sent', 'notification_channels', 'postmortem', 'created_at', 'updated_at',
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
  status_page_update: z.string().max(1000).optional(),
  affected_regions: regions.default([]),
  affected_monitor_ids: z.array(uuidParam).max(100).default([]),
  failure_count: z.int().min(1).max(1_000_000_000).default(1),
  started_at: instantInput.describe('Default: now').optional(),
});
export type IncidentInput = z.output<typeof incidentInput>;

export const incidentChangeInput = z.strictObject({
  ...readOnly,
  ...readOnlyFields('check_id', 'type', 'source', 'title', 'status_page_update', 'affected_monitor_ids', 'failure_count', 'started_at'),
  severity: z.enum(SEVERITIES).optional(),
  error_message: errorMessage.optional(),
  affected_regions: regions.describe('Replaces the list').optional(),
  description: description.nullable().describe('Null clears it').optional(),
});
export type IncidentChangeInput = z.output<typeof incidentChangeInput>;

export const statusInput = z.strictObject({
  status: z.enum(INCIDENT_STATUSES),
  note: z.string().max(500).describe('Stored with the change in the history').optional(),
  assignee_id: uuidParam.describe('The assignee of an acknowledged incident; default: the caller').optional(),
});
export type StatusInput = z.output<typeof statusInput>;

export const postmortemInput = z.strictObject({ text: z.string().max(50_000).describe('Plain text; an empty text removes it') });
