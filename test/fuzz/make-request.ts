import type { Random } from '../simulation/random.ts';
import type { Operation } from './document.ts';
import { kindOfField, lastNoun } from './pool.ts';
import { recipeFor } from './recipes.ts';
import { valueFor, type FuzzContext } from './values.ts';

export interface FuzzRequest {
  operation: Operation;
  method: string;
  path: string;
  query: string;
  headers: Record<string, string>;
  /** The body before encoding; undefined for none. */
  body: unknown;
  /** Sent instead of `body`. */
  rawBody?: string | Buffer;
  /** Whether the body is sent in chunks, without Content-Length. */
  isChunked: boolean;
  /** Whether the connection is closed in the middle of the body. */
  isCutOff: boolean;
  params: Record<string, string>;
  /** The mutations applied to the valid request; empty for none. */
  changes: string[];
}

/** A request that is valid according to the document, with existing ids. */
export function makeRequest(context: FuzzContext, operation: Operation): FuzzRequest {
  const { random } = context;
  const params = paramsFor(context, operation);
  const path =
    operation.path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] as string));
  const queryParameters = operation.parameters.filter(
    ({ in: location, required }) => location === 'query' && (required || random.chance(0.25)),
  );
  const query = queryParameters.map((one) => [one.name, String(valueFor(context, one.schema, one.name))]);
  const type = operation.body === null ? null : random.pick(operation.body.types);
  const body = operation.body === null
    ? undefined
    : (recipeFor(operation, context, params) ?? valueFor(context, operation.body.schema, ''));
  return {
    operation, method: operation.method, path, query: new URLSearchParams(
      query as [string, string][],
    ).toString(), params,
    headers: { ...requiredHeaders(operation, params), ...(type === null ? {} : { 'content-type': type }) }, body, isChunked: random.chance(0.1),
    isCutOff: false, changes: [],
    ...(type === 'application/x-www-form-urlencoded'
      ? { rawBody: new URLSearchParams(body as Record<string, string>).toString() }
      : {}),
  };
}

/** The only required header repeats the path's project. */
function requiredHeaders(operation: Operation, { projectId = '' }: Record<string, string>) {
  const names = operation.parameters.filter(({ in: location, required }) => location === 'header' && required);
  return Object.fromEntries(names.map(({ name }) => [name, projectId]));
}

function paramsFor(context: FuzzContext, operation: Operation): Record<string, string> {
  const parts = operation.path.split('/');
  const params: Record<string, string> = {};
  const declared = parts.flatMap(
    (part, at) => (part.startsWith('{') ? [{ name: part.slice(1, -1), noun: parts[at - 1] as string }] : []),
  ).reverse();
  for (const { name, noun } of declared) {
    if (params[name] !== undefined) continue;
    const existing = context.pool.pick(kindOfParam(operation, name, noun), context.random);
    const schema = operation.parameters.find((one) => one.in === 'path' && one.name === name)?.schema ??
      { type: 'string' };
    params[name] = existing?.id ?? String(valueFor(context, schema, name));
    for (const [over, id] of Object.entries(existing?.parents ?? {})) if (over !== name) params[over] ??= id;
  }
  return params;
}

function kindOfParam(operation: Operation, name: string, noun: string): string {
  if (name === 'subdomain') return 'subdomains';
  if (name === 'incidentId' && lastNoun(operation.path) === 'posts') return 'posts';
  return kindOfField(noun) ?? noun;
}

/** Picks an operation. Those that hash passwords, stream, or remove users or whole pages are less frequent. */
export function pickOperation(random: Random, operations: readonly Operation[]): Operation {
  for (;;) {
    const operation = random.pick(operations);
    const isCostly = /register|login|password|accept-invitation|logout|auth\/sessions|\/test$|events$|enrol$|\/check$/.test(
      operation.path,
    ) || /^DELETE .*(organization\/members|status-pages)\/\{\w+\}$/.test(operation.name);
    if (!isCostly || random.chance(0.1)) return operation;
  }
}
