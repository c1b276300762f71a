import { z } from 'zod';
import { queryInt } from '../http/params.ts';

const word = z.string().min(1).max(100);

export const auditQuery = z.strictObject({
  page: queryInt({ min: 1, max: 100_000, fallback: 1 }),
  limit: queryInt({ min: 1, max: 100, fallback: 20 }),
  action: word.describe('Only this action, for example `monitor.created`').optional(),
  actor_id: word.optional(),
  resource_id: word.optional(),
});
export type AuditListQuery = z.output<typeof auditQuery>;

export const auditEntryView = z.strictObject({
  id: z.uuid(),
  action: z.string(),
  actor: z.strictObject({ type: z.enum(['user', 'api_key', 'none']), id: z.string().nullable(), name: z.string().nullable() }),
  resource: z.strictObject({ type: z.string(), id: z.string().nullable() }),
  fields: z.array(z.string()).describe('Names of the fields that were sent, never their values'),
  organization_id: z.uuid(),
  project_id: z.uuid().nullable(),
  request_id: z.string(),
  created_at: z.iso.datetime(),
});

export const auditAnswer = z.strictObject({
  entries: z.array(auditEntryView),
  pagination: z.strictObject({ page: z.int(), limit: z.int(), total_count: z.int(), has_more: z.boolean() }),
});
