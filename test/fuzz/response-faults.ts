import type { Caller } from './callers.ts';
import { schemaViolations } from './schema-violations.ts';
import { operationOf, type Contract, type Operation } from './document.ts';
import type { FuzzRequest } from './make-request.ts';
import { targetOf, sentBody, type FuzzResponse } from './send.ts';
import { CANARY } from './world.ts';

export interface Case {
  contract: Contract;
  request: FuzzRequest;
  caller: Caller;
  response: FuzzResponse;
  foreign: string[];
}

const HEADERS = [
  'x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-content-type-options',
  'content-security-policy',
];

/** Statuses sent by the HTTP parser itself, before any route is known. */
const PARSER_STATUSES = [400, 408, 431];

/** The faults of a response; empty if there are none. */
export function faultsOf(one: Case): string[] {
  const { contract, request, response } = one;
  const operation = operationOf(contract, request.method, targetOf(request));
  const found: string[] = [];
  if (response.text.includes(CANARY)) found.push('discloses data of another organization');
  for (const name of HEADERS) if (response.headers[name] === undefined) found.push(`has no header ${name}`);
  if (response.headers['access-control-allow-origin'] !== undefined) found.push('allows another origin');
  if (response.status >= 500 && !(operation !== null && isDocumentedFailure(operation, request))) {
    found.push(`is ${response.status}`);
  }
  if (request.method === 'HEAD' || request.method === 'OPTIONS') return found;
  return [...found, ...(operation === null ? faultsOfUndocumented(contract, response) : faultsOfDocumented(one, operation))];
}

/** An incident can be edited with both PUT and PATCH. */
const DESCRIBES_INCIDENT = /^(PUT|PATCH) \/api\/incidents\/\{id\}$/;

/** The two requests to which the API responds with 500 by contract. */
export function isDocumentedFailure(operation: Operation, request: FuzzRequest): boolean {
  const body = parsed(request);
  const describes = DESCRIBES_INCIDENT.test(operation.name);
  if (typeof body !== 'object' || body === null) return describes;
  const sent = body as Record<string, unknown>;
  if (operation.name === 'POST /api/incidents') {
    return sent['source'] === 'system' && sent['check_id'] === undefined;
  }
  return describes &&
    !['severity', 'error_message', 'affected_regions', 'description'].some((name) => name in sent);
}

function faultsOfUndocumented(contract: Contract, response: FuzzResponse): string[] {
  if (PARSER_STATUSES.includes(response.status)) return ofError(contract, ['BAD_REQUEST'], response);
  if (response.status === 405) return ofError(contract, ['METHOD_NOT_ALLOWED'], response);
  if (response.status !== 404) return [`is ${response.status} on an undocumented path`];
  const shape = {
    type: 'object', properties: { error: { type: 'string' }, path: { type: 'string' } },
    required: ['error', 'path'], additionalProperties: false,
  };
  return schemaViolations(shape, bodyOf(response), contract.named);
}

function faultsOfDocumented(one: Case, operation: Operation): string[] {
  const { contract, response, caller, request } = one;
  const declared = operation.responses[String(response.status)];
  if (declared === undefined) {
    return PARSER_STATUSES.includes(response.status)
      ? ofError(contract, ['BAD_REQUEST'], response)
      : [`is ${response.status}, which is not declared`];
  }
  const type = String(response.headers['content-type'] ?? '').split(';')[0] as string;
  const schema = declared.content[type];
  const found: string[] = [];
  if (response.status === 304) {
    if (response.text !== '') found.push('has a body');
  } else if (schema === undefined) {
    return [`has the content type ${type}, which is not declared`];
  } else if (type === 'application/json') {
    found.push(...schemaViolations(schema, bodyOf(response), contract.named));
  }
  if (response.status >= 400) {
    return [
      ...found, ...(type === 'application/json' ? ofError(contract, declared.codes, response) : []),
      ...(isLockedOut(one) ? ['refuses a valid credential'] : []),
    ];
  }
  if (!operation.isPublic && !caller.isKnown) found.push('accepts an unknown caller');
  if (!operation.isPublic && isForeign(one)) found.push('acts on another organization\'s resource');
  if (caller.name === 'read key' && !operation.isPublic && operation.method !== 'GET') {
    found.push('lets a read key write');
  }
  if (/key/.test(caller.name) && !operation.isPublic && !operation.takesKeys) {
    found.push('accepts a key where a session is required');
  }
  const sent = parsed(request);
  if (operation.body !== null && sent !== undefined) {
    found.push(...schemaViolations(operation.body.schema, sent, contract.named).map(
      (violation) => `accepted a body that the document forbids: ${violation}`,
    ));
  }
  return found;
}

function ofError(contract: Contract, codes: string[], response: FuzzResponse): string[] {
  const body = bodyOf(response) as { error?: { code?: string } } | undefined;
  const code = String(body?.error?.code);
  return [
    ...schemaViolations(contract.named['Error'] as object as Record<string, unknown>, body, contract.named),
    ...(codes.includes(code) ? [] : [`has the code ${code}, which is not declared`]),
  ];
}

/** A 401 for the caller's own valid credential is a fault; for a failed login it is correct. */
/** The API documents 401 for everyone who is not an admin of the project. */
const HIDES_ROLE = 'POST /api/projects/{projectId}/status-pages/{id}/incidents';

function isLockedOut({ caller, response, request: { operation } }: Case): boolean {
  const isDocumented = operation.name === HIDES_ROLE && ['member', 'viewer'].includes(caller.name);
  return caller.isKnown && response.status === 401 && !isDocumented &&
    !/login|password|accept-invitation/.test(operation.path);
}

/** An outside caller uses an id of the organization, or any caller an id of the bystander. */
function isForeign({ caller, request, foreign }: Case): boolean {
  const ids = Object.entries(
    request.params,
  ).filter(([name]) => request.operation.path.includes(`{${name}}`) &&
    request.path.includes(request.params[name] as string))
    .map(([, id]) => id);
  if (caller.name === 'intruder' &&
    request.operation.parameters.some((one) => one.name === 'X-Organization-ID')) {
    return true;
  }
  return ids.length > 0 && (!caller.isInside || ids.some((id) => foreign.includes(id)));
}

function bodyOf(response: FuzzResponse): unknown {
  try {
    return JSON.parse(response.text);
  } catch {
    return undefined;
  }
}

/** The JSON that was sent; undefined for other bodies. */
function parsed(request: FuzzRequest): unknown {
  const text = sentBody(request);
  if (typeof text !== 'string' || !/json/.test(request.headers['content-type'] ?? '')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
