import type { Actor, AnyReply, PublicContext, Route } from './route.ts';

export interface AuditActor {
  type: 'user' | 'api_key' | 'none';
  id: string | null;
  name: string | null;
}

/** What only a handler knows: who it turned out to be, and whose organization is concerned. */
export interface AuditFacts {
  actor?: AuditActor;
  organizationId?: string;
}

/** One change that somebody made. Names of what was sent, never values. */
export interface AuditEntry {
  action: string;
  actor: AuditActor;
  /** Null: the caller's own account is concerned. */
  organizationId: string | null;
  projectId: string | null;
  resource: { type: string; id: string | null };
  fields: string[];
  requestId: string;
  /** Unix ms. */
  at: number;
}

/** Keeps what was changed. Never rejects: the change has been made whether it can be kept or not. */
export interface AuditRecorder {
  record(entry: AuditEntry): Promise<void>;
}

const MOST_FIELDS = 50;
const LONGEST_NAME = 64;

export interface AuditedRequest {
  context: PublicContext & { tenant?: { organizationId: string; projectId?: string } };
  params: Record<string, string>;
  /** As it was parsed from what was sent, before its schema. */
  body: unknown;
}

/** The entry for a success of a route that declares `audit`; null for any other. */
export function auditEntry(route: Route, request: AuditedRequest, reply: AnyReply): AuditEntry | null {
  if (typeof route.audit !== 'string' || reply.status >= 400) return null;
  const { context, params, body } = request;
  const [type = route.audit] = route.audit.split('.');
  return {
    action: route.audit,
    actor: reply.audit?.actor ?? actorOf(context.actor),
    organizationId: reply.audit?.organizationId ?? context.tenant?.organizationId ?? null,
    projectId: context.tenant?.projectId ?? null,
    resource: { type, id: resourceId(route, params, reply) },
    fields: typeof body === 'object' && body !== null ? Object.keys(body).slice(0, MOST_FIELDS).map((name) => name.slice(0, LONGEST_NAME)) : [],
    requestId: context.requestId,
    at: context.now,
  };
}

function actorOf(actor: Actor): AuditActor {
  if (actor.kind === 'session') return { type: 'user', id: actor.userId, name: actor.name };
  return actor.kind === 'key' ? { type: 'api_key', id: actor.keyId, name: actor.name } : { type: 'none', id: null, name: null };
}

/** What was made is named in the answer; what was there, last in the path. */
function resourceId(route: Route, params: Record<string, string>, reply: AnyReply): string | null {
  const named = [...route.path.matchAll(/:([A-Za-z_]+)/g)].map(([, name]) => params[name as string]).at(-1) ?? null;
  const id = reply.status === 201 ? (answeredId(reply.data) ?? named) : (named ?? answeredId(reply.data));
  return id === null ? null : id.slice(0, LONGEST_NAME);
}

function answeredId(data: unknown): string | null {
  for (const candidate of [data, ...(isRecord(data) ? Object.values(data) : [])]) {
    if (isRecord(candidate) && typeof candidate['id'] === 'string') return candidate['id'];
  }
  return null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
