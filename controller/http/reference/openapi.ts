import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { ERROR_STATUS, type ErrorCode } from '../../../shared/errors.ts';
import { isRawAnswer, isStreamAnswer, type Route } from '../route.ts';

type Json = Record<string, unknown>;

const SESSION_ERRORS: ErrorCode[] = ['MISSING_AUTH', 'INVALID_TOKEN', 'TOKEN_EXPIRED'];
const KEY_ERRORS: ErrorCode[] = ['MISSING_API_KEY', 'INVALID_API_KEY'];
const FORM_CONTENT = 'application/x-www-form-urlencoded';
const RATE_HEADERS = ['X-Request-ID', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** The OpenAPI 3.1 document of these routes, from the same schemas that parse their input and type their answers. */
export function openApiDocument(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  const named: Json = { Error: ERROR_SCHEMA };
  for (const route of routes) {
    const path = route.path.replace(/:([A-Za-z_]+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, named) };
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { title: 'Farwatch', version: '1', description: 'Uptime monitoring with probes in your own regions.', license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, headers: HEADERS, schemas: named },
  };
}

function operation(route: Route, named: Json): Json {
  const parameters = [...parametersOf(route.params, 'path', named), ...parametersOf(route.query, 'query', named), ...tenantHeaders(route), ...streamHeaders(route)];
  return {
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    operationId: operationId(route),
    tags: [route.tag],
    security: securityOf(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: { required: true, content: bodyContent(route, route.body, named) } }),
    responses: { ...successes(route, named), ...failures(route) },
  };
}

function bodyContent(route: Route, body: z.ZodType, named: Json): Json {
  const schema = schemaOf(body, 'input', named);
  const types = { json: ['application/json'], form: [FORM_CONTENT], 'json-or-form': ['application/json', FORM_CONTENT], document: ['application/json', 'application/yaml'] }[route.bodyFormat ?? 'json'];
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

function operationId(route: Route): string {
  const words = route.path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && word !== 'api');
  return [route.method.toLowerCase(), ...words].join('_');
}

function securityOf(route: Route): Json[] {
  if (route.auth.access === 'public') return [];
  return acceptsKeys(route) ? [{ session: [] }, { apiKey: [] }] : [{ session: [] }];
}

function acceptsKeys(route: Route): boolean {
  if (route.auth.access === 'project') return route.auth.keys !== false;
  return route.auth.access === 'account' && route.auth.keys === true;
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query', named: Json): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input', named) as { properties?: Record<string, Json>; required?: string[] };
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property;
    return { name, in: place, required: place === 'path' || required.includes(name), ...(description === undefined ? {} : { description }), schema: rest };
  });
}

function tenantHeaders(route: Route): Json[] {
  const uuid = { type: 'string', format: 'uuid' };
  const header = (name: string, description: string) => ({ name, in: 'header', required: false, description, schema: uuid });
  const organization = header(
    'X-Organization-ID', 'The organization to use, for a session; default: its first. Ignored with an API key.',
  );
  const project = header('X-Project-ID', 'The project to use; default: the default project.');
  if (route.auth.access === 'project') return [project, organization];
  return route.auth.access === 'account' && route.auth.organization !== undefined ? [organization] : [];
}

function streamHeaders(route: Route): Json[] {
  if (!Object.values(route.answers).some(isStreamAnswer)) return [];
  const description = 'The id of the last event that you received: later events are sent first.';
  return [{ name: 'Last-Event-ID', in: 'header', required: false, description, schema: { type: 'string' } }];
}

function successes(route: Route, named: Json): Json {
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, answer]) => {
      const type = isRawAnswer(answer) ? (answer.contentType.split(';')[0] as string) : '';
      const raw = isRawAnswer(answer) ? { [type]: { schema: type === 'application/json' ? { type: 'object', additionalProperties: true } : { type: 'string' } } } : {};
      const data = isRawAnswer(answer) ? answer.data : answer;
      const content = { ...(data === undefined ? {} : { 'application/json': { schema: envelopeOf(schemaOf(data, 'output', named)) } }), ...raw };
      return [status, { description: 'Success', headers: headerReferences(RATE_HEADERS), content }];
    }),
  );
}

function envelopeOf(data: Json): Json {
  return { type: 'object', properties: { success: { const: true }, data }, required: ['success', 'data'], additionalProperties: false };
}

/** One response per status, its description naming the codes that are sent with it. */
function failures(route: Route): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(route)) byStatus.set(ERROR_STATUS[code], [...(byStatus.get(ERROR_STATUS[code]) ?? []), code]);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\``).join(', '),
        headers: headerReferences(status === 429 ? [...RATE_HEADERS, 'Retry-After'] : RATE_HEADERS),
        content: route.errorPage === undefined ? { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } : { 'text/html': { schema: { type: 'string' } } },
      },
    ]),
  );
}

/** Every code that the route may answer with: those of its auth, of its schemas, its own, and those of any route. */
export function errorsOf(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>(['VALIDATION_ERROR', ...(route.errors ?? []), 'RATE_LIMIT_EXCEEDED', route.failure?.code ?? 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']);
  const add = (...more: ErrorCode[]) => more.forEach((code) => codes.add(code));
  if (route.body !== undefined) add('INVALID_INPUT', 'BAD_REQUEST', 'JSON_PARSE_ERROR');
  const { auth } = route;
  if (auth.access === 'public') return [...codes];
  add(...SESSION_ERRORS, 'INVALID_PROJECT_ID');
  if (auth.access !== 'account' || auth.verified !== false) add('EMAIL_NOT_VERIFIED');
  if (acceptsKeys(route)) add(...KEY_ERRORS, ...(route.method === 'GET' ? [] : (['READ_ONLY_API_KEY'] as const)));
  else add('JWT_REQUIRED', ...KEY_ERRORS);
  if (auth.access === 'operator') add('INSUFFICIENT_PERMISSIONS');
  if (auth.access === 'project') add('INVALID_PROJECT_ID', 'PROJECT_NOT_FOUND', 'PROJECT_ORGANIZATION_MISMATCH');
  if (auth.access === 'project' || (auth.access === 'account' && auth.organization !== undefined)) {
    add('ORGANIZATION_NOT_FOUND', 'ORGANIZATION_MISMATCH', 'INSUFFICIENT_PERMISSIONS');
  }
  return [...codes];
}

/** The JSON schema of what is sent (`input`) or answered (`output`). Named parts of it go into `named`, where all operations share them. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', named: Json): Json {
  const { $schema: _dialect, $defs, ...json } = z.toJSONSchema(schema, { io, target: 'draft-2020-12', reused: 'inline', override: keepFallback }) as Json;
  for (const [name, part] of Object.entries(($defs ?? {}) as Json)) {
    if (named[name] !== undefined && !isDeepStrictEqual(named[name], relocate(part))) throw new Error(`two schemas are named ${name}`);
    named[name] = relocate(part);
  }
  return relocate(json) as Json;
}

/** References from where zod keeps named schemas to where OpenAPI does. */
function relocate(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/** Zod leaves out the default of what it transforms; ours is given under another name. */
function keepFallback({ jsonSchema }: { jsonSchema: Json }): void {
  if (jsonSchema['fallback'] === undefined) return;
  jsonSchema['default'] = jsonSchema['fallback'];
  delete jsonSchema['fallback'];
}

function headerReferences(names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const integer = (description: string) => ({ description, schema: { type: 'integer' } });

const HEADERS = {
  'X-Request-ID': { description: 'The id of this request in the log.', schema: { type: 'string' } },
  'X-RateLimit-Limit': integer('Requests allowed in 15 minutes.'),
  'X-RateLimit-Remaining': integer('Requests left in this window.'),
  'X-RateLimit-Reset': integer('End of this window, Unix seconds.'),
  'Retry-After': integer('Seconds to wait.'),
};

const SECURITY_SCHEMES = {
  session: {
    type: 'http', scheme: 'bearer', bearerFormat: 'JWT',
    description: 'Session token from POST /api/auth/login. Takes precedence over an API key.',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: '`fw_` and 64 hexadecimal characters.' },
};

const ERROR_SCHEMA = {
  type: 'object',
  properties: {
    success: { const: false },
    error: {
      type: 'object',
      properties: {
        code: { type: 'string', enum: Object.keys(ERROR_STATUS) },
        message: { type: 'string' },
        details: {
          description: 'An object for most errors; an array of issues when a body, query or path fails validation.',
          anyOf: [
            { type: 'object' },
            {
              type: 'array',
              items: {
                type: 'object',
                properties: { code: { type: 'string' }, path: { type: 'array', items: { type: ['string', 'integer'] } }, message: { type: 'string' } },
                required: ['code', 'path', 'message'],
                additionalProperties: false,
              },
            },
          ],
        },
        retryAfter: { type: 'integer', description: 'Seconds to wait, with RATE_LIMIT_EXCEEDED.' },
      },
      required: ['code', 'message'],
      additionalProperties: false,
    },
  },
  required: ['success', 'error'],
  additionalProperties: false,
};
