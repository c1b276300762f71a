import { z } from 'zod';
import { isoTime } from '../../shared/time.ts';
import type { AuditDoc } from './store.ts';

const auditEntryView = z.strictObject({
  id: z.uuid(), action: z.string(),
  actor: z.strictObject({
    type: z.enum(['user', 'api_key', 'none']), id: z.string().nullable(), name: z.string().nullable(),
  }),
  resource: z.strictObject({ type: z.string(), id: z.string().nullable() }),
  fields: z.array(z.string()).describe('Names of the fields that were sent, never their values'),
  organization_id: z.uuid(), project_id: z.uuid().nullable(),
  request_id: z.string(), created_at: z.iso.datetime(),
}).meta({ id: 'AuditEntry' });

export const auditResponse = z.strictObject({
  entries: z.array(auditEntryView),
  pagination: z.strictObject({ page: z.int(), limit: z.int(), total_count: z.int(), has_more: z.boolean() }),
});

export function viewAuditEntry(doc: AuditDoc): z.input<typeof auditEntryView> {
  const { _id, actor_type, actor_id, actor_name, resource_type, resource_id, created_at, ...rest } = doc;
  return {
    id: _id, actor: { type: actor_type, id: actor_id, name: actor_name },
    resource: { type: resource_type, id: resource_id }, created_at: isoTime(created_at), ...rest,
  };
}
