import { newId } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { AuditEntry, AuditRecorder } from '../http/audit.ts';
import type { AuditDoc } from './entry.ts';
import type { AuditStore } from './store.ts';

export interface AuditRecorderDeps {
  entries: Pick<AuditStore, 'insert'>;
  organizationsOf(userId: string): Promise<string[]>;
  log: Log;
}

/** One change of one's own account is told to at most so many organizations. */
const MOST_ORGANIZATIONS = 20;

/**
 * Keeps what the edge reports. What somebody did to their own account, as choosing a new password, is in the log of each
 * organization they belong to. What cannot be kept is at least in the process's own log.
 */
export function createAuditRecorder(deps: AuditRecorderDeps): AuditRecorder {
  return {
    async record(entry) {
      try {
        for (const organizationId of await concerned(deps, entry)) await deps.entries.insert(toDoc(entry, organizationId));
      } catch (error) {
        deps.log.error({ err: error, entry }, 'a change could not be written into the audit log');
      }
    },
  };
}

async function concerned(deps: AuditRecorderDeps, { organizationId, actor }: AuditEntry): Promise<string[]> {
  if (organizationId !== null) return [organizationId];
  return actor.type === 'user' && actor.id !== null ? (await deps.organizationsOf(actor.id)).slice(0, MOST_ORGANIZATIONS) : [];
}

function toDoc(entry: AuditEntry, organizationId: string): AuditDoc {
  const { action, actor, resource, projectId, fields, requestId, at } = entry;
  return {
    _id: newId(at), organization_id: organizationId, project_id: projectId, action, actor_type: actor.type, actor_id: actor.id, actor_name: actor.name,
    resource_type: resource.type, resource_id: resource.id, fields, request_id: requestId, created_at: at,
  };
}
