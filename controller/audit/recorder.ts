import { newId } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { HandledRequest, AuditRecorder } from '../http/routing/ports.ts';
import type { Actor, AuditActor } from '../http/routing/route.ts';
import type { AuditDoc, AuditStore } from './store.ts';

interface AuditRecorderDeps {
  entries: Pick<AuditStore, 'insert'>;
  organizationsOf(userId: string): Promise<string[]>;
  log: Log;
}

/** Limits the copies of an entry about a user's own account. */
const MAX_ORGANIZATIONS = 20;
const MAX_FIELDS = 50;
const MAX_NAME_LENGTH = 64;

/**
 * Writes successful changes to the audit log. A change to a user's own account, such as a new password, is
 * logged in each of their organizations. An entry that cannot be stored goes to the controller's log.
 */
export function createAuditRecorder({ entries, organizationsOf, log }: AuditRecorderDeps): AuditRecorder {
  const organizationIdsFor = async (entry: AuditEntry): Promise<string[]> => {
    const { organization_id, actor_type, actor_id } = entry;
    if (organization_id !== null) return [organization_id];
    const own = actor_type === 'user' && actor_id !== null ? await organizationsOf(actor_id) : [];
    return own.slice(0, MAX_ORGANIZATIONS);
  };
  return {
    async record(request) {
      const { status, audit } = request.response;
      if (status >= 400 || audit === null) return;
      const entry = auditEntry(request);
      try {
        for (const organizationId of await organizationIdsFor(entry)) {
          await entries.insert({ _id: newId(entry.created_at), ...entry, organization_id: organizationId });
        }
      } catch (error) {
        log.error({ err: error, entry }, 'could not write a change to the audit log');
      }
    },
  };
}

/** `organization_id` is null for a change of the caller's own account. */
type AuditEntry = Omit<AuditDoc, '_id' | 'organization_id'> & { organization_id: string | null };

function auditEntry(request: HandledRequest): AuditEntry {
  const { action, route, context, params, query, body, response } = request;
  const actor = response.audit?.actor ?? actorOf(context.actor);
  // The response names a new resource; the last path parameter names an existing one.
  const pathId = [...route.path.matchAll(/:([A-Za-z_]+)/g)].map(([, name = '']) => params[name]).at(-1);
  const responseId = idInResponse(response.data);
  const foundId = response.status === 201 ? (responseId ?? pathId) : (pathId ?? responseId);
  const id = response.audit?.resourceId ?? foundId;
  const sent = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  const fields = [...Object.keys(query), ...sent].slice(0, MAX_FIELDS);
  return {
    organization_id: response.audit?.organizationId ?? context.tenant?.organizationId ?? null,
    project_id: context.tenant?.projectId ?? null, action,
    actor_type: actor.type, actor_id: actor.id, actor_name: actor.name,
    resource_type: action.split('.')[0] ?? action, resource_id: id?.slice(0, MAX_NAME_LENGTH) ?? null,
    fields: fields.map((name) => name.slice(0, MAX_NAME_LENGTH)),
    request_id: context.requestId, created_at: context.now,
  };
}

function actorOf(actor: Actor): AuditActor {
  if (actor.kind === 'none') return { type: 'none', id: null, name: null };
  if (actor.kind === 'key') return { type: 'api_key', id: actor.keyId, name: actor.name };
  return { type: 'user', id: actor.userId, name: actor.name };
}

/** The `id` of the response or of one of its fields. */
function idInResponse(data: unknown): string | undefined {
  const candidates = isRecord(data) ? [data, ...Object.values(data)] : [];
  for (const one of candidates) if (isRecord(one) && typeof one['id'] === 'string') return one['id'];
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
