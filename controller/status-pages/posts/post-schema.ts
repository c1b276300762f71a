import { z } from 'zod';
import {
  queryInt, readOnlyFields, uuidParam, requiredMultilineText, singleLineText,
} from '../../http/input/validation.ts';
import { MAX_COMPONENTS, SEVERITIES } from '../page.ts';
import { pageParams } from '../schema.ts';
import { POST_STATUSES } from './post.ts';

export const postParams = pageParams.extend({ incidentId: uuidParam });

const MAX_MESSAGE_LENGTH = 5000;
const message = requiredMultilineText(MAX_MESSAGE_LENGTH);
const status = z.enum(POST_STATUSES);

export const postInput = z.strictObject({
  ...readOnlyFields(
    'id', 'status_page_id', 'incident_id', 'published_at', 'updated_at', 'resolved_at', 'auto_published', 'updates',
  ),
  title: singleLineText(200),
  message,
  severity: z.enum(SEVERITIES),
  status: status.optional().describe('Default: `investigating`.'),
  affected_monitor_ids: z.array(uuidParam).min(1, 'Select at least one monitor').max(MAX_COMPONENTS)
    .transform((ids) => [...new Set(ids)]).describe('Monitors on the page.'),
});
export type PostInput = z.infer<typeof postInput>;

export const postChangeInput = postInput.partial();
export type PostChangeInput = z.infer<typeof postChangeInput>;

export const updateInput = z.strictObject({ status, message });
export type UpdateInput = z.infer<typeof updateInput>;

export const resolveInput = z.strictObject({ message: message.optional() });

export const postListQuery = z.strictObject({
  status: status.optional(),
  page: queryInt({ min: 1, fallback: 1 }),
  limit: queryInt({ min: 1, max: 100, fallback: 50 }),
});
export type PostListInput = z.infer<typeof postListQuery>;

const id = z.uuid();
const instant = z.iso.datetime();

export const postView = z.strictObject({
  id, status_page_id: id,
  incident_id: id.nullable().describe('The incident of an automatic post.'),
  title: z.string(),
  message: z.string(),
  severity: z.enum(SEVERITIES),
  status,
  affected_monitor_ids: z.array(id),
  published_at: instant,
  updated_at: instant,
  resolved_at: instant.nullable(),
  auto_published: z.boolean(),
  updates: z.array(z.strictObject({ status, message: z.string(), created_at: instant }))
    .describe('Oldest first.'),
}).meta({ id: 'StatusPageIncident' });
export type PostView = z.infer<typeof postView>;

export const postResponse = z.strictObject({ incident: postView });
export const postListResponse = z.strictObject({
  incidents: z.array(postView),
  pagination: z.strictObject({
    page: z.int(), limit: z.int(), total_count: z.int(), has_more: z.boolean(),
  }),
});
