import type { z } from 'zod';
import { isoTime } from '../../shared/time.ts';
import type { AuditDoc } from './entry.ts';
import type { auditEntryView } from './schema.ts';

export function viewAuditEntry(doc: AuditDoc): z.input<typeof auditEntryView> {
  return {
    id: doc._id,
    action: doc.action,
    actor: { type: doc.actor_type, id: doc.actor_id, name: doc.actor_name },
    resource: { type: doc.resource_type, id: doc.resource_id },
    fields: doc.fields,
    organization_id: doc.organization_id,
    project_id: doc.project_id,
    request_id: doc.request_id,
    created_at: isoTime(doc.created_at),
  };
}
