import { newId } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { AuditEntry, AuditRecorder } from '../http/audit.ts';
import type { AuditDoc } from './entry.ts';
import type { AuditStore } from './store.ts';

/** Keeps what the edge reports. What cannot be kept is at least in the process's own log. */
export function createAuditRecorder(deps: { entries: Pick<AuditStore, 'insert'>; log: Log }): AuditRecorder {
  return {
    async record(entry) {
      const doc = toDoc(entry);
      try {
        await deps.entries.insert(doc);
      } catch (error) {
        deps.log.error({ err: error, entry: doc }, 'a change could not be written into the audit log');
      }
    },
  };
}

function toDoc(entry: AuditEntry): AuditDoc {
  const { action, actor, resource, organizationId, projectId, fields, requestId, at } = entry;
  return {
    _id: newId(at), organization_id: organizationId, project_id: projectId, action, actor_type: actor.type, actor_id: actor.id, actor_name: actor.name,
    resource_type: resource.type, resource_id: resource.id, fields, request_id: requestId, created_at: at,
  };
}
