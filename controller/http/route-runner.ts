import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../shared/time.ts';
import { auditEntry, type AuditRecorder } from './audit.ts';
import { isSession, type CredentialReader, type Identity, type TenantReader } from './access.ts';
import { authenticate } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { readBody } from './body/body.ts';
import { guardStream } from './stream-guard.ts';
import type { DocumentReader } from './body/document-reader.ts';
import { rateLimitExceeded, type RateLimiter, type RateVerdict } from './rate-limit.ts';
import type { AnyReply, Route } from './route.ts';
import { fieldError, parseQuery, validate } from './validation.ts';

export interface RunnerDeps {
  credentials: CredentialReader;
  tenants: TenantReader;
  limiter: RateLimiter;
  clock: Clock;
  audit: AuditRecorder;
  documents: DocumentReader;
}

export interface IncomingRequest {
  requestId: string;
  /** What the request counts under while nobody is known to have sent it. */
  addressKey: string;
  params: Record<string, string>;
  querystring: string;
  raw: IncomingMessage;
  /** Told of the rate limit as soon as it is known, so that errors carry it too. */
  onVerdict(verdict: RateVerdict): void;
}

/** Runs one request through its route: who, rate limit, may they, what do they ask, answer. Throws AppError. */
export async function runRoute(deps: RunnerDeps, route: Route, request: IncomingRequest): Promise<AnyReply> {
  const { raw, requestId } = request;
  const now = deps.clock.now();
  const identity = route.auth.access === 'public' ? null : await settle(authenticate(deps.credentials, raw.headers, now));
  const caller = identity === null || 'failure' in identity ? request.addressKey : callerKey(identity);
  const verdict = route.isUnlimited === true ? deps.limiter.peek(caller) : deps.limiter.take(caller);
  request.onVerdict(verdict);
  if (!verdict.isAllowed) throw rateLimitExceeded();
  if (identity !== null && 'failure' in identity) throw identity.failure;

  const facts = { method: raw.method ?? 'GET', headers: raw.headers };
  const lastEventId = raw.headers['last-event-id'];
  const base = { requestId, actor: { kind: 'none' } as const, now, ...(typeof lastEventId === 'string' ? { lastEventId } : {}) };
  const context = await authorize(deps.tenants, route.auth, identity, facts, base);
  const query = route.ignoresQuery === true ? {} : parseQuery(request.querystring);
  // No body is an empty one; the JSON text `null` is a body, and a wrong one.
  const { sent = {} } = route.body === undefined ? {} : { sent: await readSent(deps, route, raw) };
  const input = {
    params: route.params === undefined ? undefined : validate(route.params, request.params),
    query: route.query === undefined ? refuseAny(query) : validate(route.query, query),
    body: await route.parseBody(sent),
  };
  const reply = await route.handle(context, input);
  if (reply.stream !== undefined) {
    guardStream(reply.stream, deps.clock, async () => {
      const present = route.auth.access === 'public' ? null : await authenticate(deps.credentials, raw.headers, deps.clock.now());
      await authorize(deps.tenants, route.auth, present, facts, base);
    });
  }
  const entry = auditEntry(route, { context, params: request.params, body: sent }, reply);
  if (entry !== null) await deps.audit.record(entry);
  return reply;
}

function readSent(deps: RunnerDeps, route: Route, raw: IncomingMessage): Promise<unknown> {
  const format = route.bodyFormat ?? 'json';
  return format === 'document' ? deps.documents.read(raw) : readBody(raw, format);
}

/** A failed credential must not keep the request from being counted. */
function settle(identity: Promise<Identity | null>): Promise<Identity | null | { failure: unknown }> {
  return identity.catch((failure: unknown) => ({ failure }));
}

/** All sessions and keys of one person share one limit. */
function callerKey(identity: Identity): string {
  return `user:${isSession(identity) ? identity.actor.userId : identity.actor.createdBy}`;
}

function refuseAny(query: Record<string, string>): undefined {
  const name = Object.keys(query)[0];
  if (name === undefined) return undefined;
  throw fieldError(name, 'Unrecognized parameter', 'unrecognized_keys');
}
