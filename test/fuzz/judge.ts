import type { Caller } from './callers.ts';
import { misfits } from './conform.ts';
import { operationOf, type Contract, type Operation } from './document.ts';
import type { FuzzRequest } from './make-request.ts';
import { targetOf, written, type FuzzAnswer } from './send.ts';
import { CANARY } from './world.ts';

export interface Case {
  contract: Contract;
  request: FuzzRequest;
  caller: Caller;
  answer: FuzzAnswer;
  foreign: string[];
}

const HEADERS = [
  'x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-content-type-options',
  'content-security-policy',
];

/** What the HTTP parser itself answers, before any route is known. */
const BY_THE_PARSER = [400, 408, 431];

/** What is wrong with an answer; empty: nothing. */
export function faultsOf(one: Case): string[] {
  const { contract, request, answer } = one;
  const operation = operationOf(contract, request.method, targetOf(request));
  const found: string[] = [];
  if (answer.text.includes(CANARY)) found.push('tells what another organization has');
  for (const name of HEADERS) if (answer.headers[name] === undefined) found.push(`has no header ${name}`);
  if (answer.headers['access-control-allow-origin'] !== undefined) found.push('lets another origin in');
  if (answer.status >= 500 && !(operation !== null && isDocumentedFailure(operation, request))) {
    found.push(`is ${answer.status}`);
  }
  if (request.method === 'HEAD' || request.method === 'OPTIONS') return found;
  return [...found, ...(operation === null ? ofUnknown(contract, answer) : ofKnown(one, operation))];
}

/** An incident is described by PUT and PATCH alike. */
const DESCRIBES_INCIDENT = /^(PUT|PATCH) \/api\/incidents\/\{id\}$/;

/** The two requests that the API answers with 500 by contract. */
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

function ofUnknown(contract: Contract, answer: FuzzAnswer): string[] {
  if (BY_THE_PARSER.includes(answer.status)) return ofError(contract, ['BAD_REQUEST'], answer);
  if (answer.status === 405) return ofError(contract, ['METHOD_NOT_ALLOWED'], answer);
  if (answer.status !== 404) return [`is ${answer.status} on a path that the document does not have`];
  const shape = {
    type: 'object', properties: { error: { type: 'string' }, path: { type: 'string' } },
    required: ['error', 'path'], additionalProperties: false,
  };
  return misfits(shape, bodyOf(answer), contract.named);
}

function ofKnown(one: Case, operation: Operation): string[] {
  const { contract, answer, caller, request } = one;
  const response = operation.responses[String(answer.status)];
  if (response === undefined) {
    return BY_THE_PARSER.includes(answer.status)
      ? ofError(contract, ['BAD_REQUEST'], answer)
      : [`is ${answer.status}, which is not declared`];
  }
  const type = String(answer.headers['content-type'] ?? '').split(';')[0] as string;
  const schema = response.content[type];
  if (schema === undefined) return [`has the content type ${type}, which is not declared`];
  const found = type === 'application/json' ? misfits(schema, bodyOf(answer), contract.named) : [];
  if (answer.status >= 400) {
    return [
      ...found, ...(type === 'application/json' ? ofError(contract, response.codes, answer) : []),
      ...(isLockedOut(one) ? ['refuses a good credential'] : []),
    ];
  }
  if (!operation.isPublic && !caller.isKnown) found.push('lets in whom it does not know');
  if (!operation.isPublic && isForeign(one)) found.push('acts on what belongs to another organization');
  if (caller.name === 'read key' && !operation.isPublic && operation.method !== 'GET') {
    found.push('lets a read key write');
  }
  if (/key/.test(caller.name) && !operation.isPublic && !operation.takesKeys) {
    found.push('takes a key where only sessions may');
  }
  const sent = parsed(request);
  if (operation.body !== null && sent !== undefined) {
    found.push(...misfits(operation.body.schema, sent, contract.named).map(
      (misfit) => `took a body that the document forbids: ${misfit}`,
    ));
  }
  return found;
}

function ofError(contract: Contract, codes: string[], answer: FuzzAnswer): string[] {
  const body = bodyOf(answer) as { error?: { code?: string } } | undefined;
  const code = String(body?.error?.code);
  return [
    ...misfits(contract.named['Error'] as object as Record<string, unknown>, body, contract.named),
    ...(codes.includes(code) ? [] : [`has the code ${code}, which is not declared`]),
  ];
}

/**
 * The caller's own credential is good, so that 401 is a fault of ours; a login that fails is the request's.
 */
function isLockedOut({ caller, answer, request }: Case): boolean {
  return caller.isKnown && answer.status === 401 &&
    !/login|password|accept-invitation/.test(request.operation.path);
}

/** Somebody outside names an id of the inside, or anybody one of the bystander's. */
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

function bodyOf(answer: FuzzAnswer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    return undefined;
  }
}

/** The JSON that was sent; undefined when it was something else. */
function parsed(request: FuzzRequest): unknown {
  const text = written(request);
  if (typeof text !== 'string' || !/json/.test(request.headers['content-type'] ?? '')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
