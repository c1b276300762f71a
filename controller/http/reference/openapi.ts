import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { ERROR_STATUS } from '../../errors/app-error.ts';
import { SERVER_LIMITS } from '../limits/server-limits.ts';
import { acceptsKeys } from '../routing/authorize.ts';
import type { Auth, Route } from '../routing/route.ts';
import { failures, headerReferences, namesOrganization, RATE_HEADERS, type Refusal } from './failures.ts';
import { addLinks } from './links.ts';

/** A JSON schema, or another part of the document that only its readers interpret. */
export type Json = Record<string, unknown>;

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Json;
}

export type Content = Record<string, { schema: Json }>;

export interface Operation {
  summary: string;
  description?: string;
  operationId: string;
  tags: string[];
  security: Json[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Success | { $ref: string }>;
}

export interface Success {
  description: string;
  headers: Json;
  content: Content;
  links?: Json;
}

type Schemas = Record<string, Json>;

export interface OpenApiDocument extends Json {
  info: Json & { title: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: Json & { schemas: Schemas; responses: Record<string, Refusal> };
}

const DESCRIPTION = `Uptime monitoring with probes in your own regions.

Beside the errors that each operation lists, these can occur on every path of the API:

| status | code | cause |
| --- | --- | --- |
| 400 | \`VALIDATION_ERROR\`, with the issue \`unrecognized_keys\` | a query parameter that the operation does not list; pages, feeds, images, heartbeats and mailed links ignore such parameters |
| 404 | none: the body is \`{"error": "Not Found", "path": …}\` | an unknown path |
| 405 | \`METHOD_NOT_ALLOWED\` | a method that the path does not support; the header \`Allow\` lists those that it does |
| 408 | \`BAD_REQUEST\` | headers that took more than ${SERVER_LIMITS.headersTimeoutMs / 1000} s, or a request that took more than ${SERVER_LIMITS.requestTimeoutMs / 1000} s, to arrive; the connection is closed |
| 431 | \`BAD_REQUEST\` | headers of more than ${SERVER_LIMITS.maxHeaderBytes / 1024} KiB; the connection is closed |
`;

const JSON_CONTENT = 'application/json';
const FORM_CONTENT = 'application/x-www-form-urlencoded';

/** Builds the OpenAPI 3.1 document from the schemas that parse the routes' input and type their responses. */
export function openApiDocument(routes: readonly Route[], basePath = ''): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  const named: Schemas = { Error: ERROR_SCHEMA };
  const refusals: Record<string, Refusal> = {};
  for (const route of routes) {
    const path = route.path.replace(/:([A-Za-z_]+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, named, refusals) };
  }
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: {
      title: 'Farwatch', version: '1', description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath || '/' }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, headers: HEADERS, schemas: named, responses: refusals },
  };
  addLinks(document);
  return document;
}

function operation(route: Route, named: Schemas, refusals: Record<string, Refusal>): Operation {
  const { summary, description, auth, body } = route;
  const own = [...parametersOf(route.params, 'path', named), ...parametersOf(route.query, 'query', named)];
  const parameters = [...own, ...headersOf(route)];
  const segments = route.path.split(/[^A-Za-z0-9]+/).filter((segment) => segment !== '' && segment !== 'api');
  const callerSchemes = auth.access === 'public' ? [] : ['session', ...(acceptsKeys(auth) ? ['apiKey'] : [])];
  const schemes = route.bearer === undefined ? callerSchemes : ['metricsToken'];
  return {
    summary,
    ...(description === undefined ? {} : { description }),
    operationId: route.operationId ?? [route.method.toLowerCase(), ...segments.map(capitalized)].join(''),
    tags: [route.tag],
    security: schemes.map((scheme) => ({ [scheme]: [] })),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(route, body, named) }),
    responses: { ...successes(route, named), ...failures(route, refusals) },
  };
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function requestBody({ bodyFormat = 'json' }: Route, body: z.ZodType, named: Schemas) {
  const schema = schemaOf(body, 'input', named);
  const types = {
    json: [JSON_CONTENT], form: [FORM_CONTENT], 'json-or-form': [JSON_CONTENT, FORM_CONTENT],
    document: [JSON_CONTENT, 'application/yaml'], file: ['application/octet-stream'], excerpt: ['text/plain'],
  }[bodyFormat];
  return { required: bodyFormat !== 'excerpt', content: Object.fromEntries(types.map((type) => [type, { schema }])) } as const;
}

function parametersOf(schema: z.ZodType | undefined, location: 'path' | 'query', named: Schemas): Parameter[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input', named) as {
    properties?: Record<string, Json & { description?: string }>; required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name, in: location, required: location === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }), schema: rest,
  }));
}

function headersOf({ auth, responses }: Route): Parameter[] {
  const header = (
    isRead: boolean, name: string, description: string, schema: Json, required = false,
  ): Parameter[] => (isRead ? [{ name, in: 'header', required, description, schema }] : []);
  const uuid = { type: 'string', format: 'uuid' };
  const project = 'The project to use. Default: the default project.';
  const organization = 'The organization to use with a session. Default: its first one. Ignored with an API key.';
  const lastEventId = 'The id of the last event that you received. Events after it are sent first.';
  return [
    ...header(auth.access === 'project', 'X-Project-ID', project, uuid),
    ...header(namesProjectTwice(auth), 'X-Project-ID', 'The project in the path.', uuid, true),
    ...header(namesOrganization(auth), 'X-Organization-ID', organization, uuid),
    ...header(Object.values(responses).some((declared) => 'isStream' in declared), 'Last-Event-ID', lastEventId, text),
  ];
}

function namesProjectTwice(auth: Auth): boolean {
  return auth.access === 'path-project' && auth.header === true;
}

function successes(route: Route, named: Schemas): Record<string, Success> {
  const responses = Object.entries(route.responses).map(([status, declared]) => {
    const content: Content = {};
    const data = 'contentType' in declared ? declared.data : declared;
    const envelope = data && object({ success: { const: true }, data: schemaOf(data, 'output', named) });
    if (envelope !== undefined) content[JSON_CONTENT] = { schema: envelope };
    if ('contentType' in declared) {
      const type = declared.contentType.split(';')[0] as string;
      const anyObject = { type: 'object', additionalProperties: true };
      content[type] = { schema: type === JSON_CONTENT ? anyObject : { type: 'string' } };
    }
    return 'isUpgrade' in declared
      ? [status, { description: 'The connection is a WebSocket', headers: {}, content }]
      : [status, { description: 'Success', headers: headerReferences(RATE_HEADERS), content }];
  });
  const headers = headerReferences(RATE_HEADERS);
  const notModified = { description: 'The copy with the `ETag` in `If-None-Match` is current', headers, content: {} };
  return {
    ...Object.fromEntries(responses) as Record<string, Success>,
    ...(route.isRevalidated === true ? { 304: notModified } : {}),
  };
}

/** The JSON schema of input or output. Adds named schemas to `named`, which all operations share. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', named: Schemas): Json {
  const override = io === 'input' ? describeInput : applyFallback;
  const options = { io, target: 'draft-2020-12', reused: 'inline', override } as const;
  const { $schema: _dialect, $defs, ...json } = relocate(z.toJSONSchema(schema, options));
  for (const [name, part] of Object.entries(($defs ?? {}) as Schemas)) {
    if (!isDeepStrictEqual(named[name] ?? part, part)) throw new Error(`two schemas are named ${name}`);
    named[name] = part;
  }
  return json;
}

/** Rewrites zod's references to named schemas as OpenAPI references. */
function relocate(json: Json): Json {
  return JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
}

/** Excludes NUL from all request strings, whatever else their schema allows. */
function describeInput(context: { jsonSchema: Json }): void {
  applyFallback(context);
  const { jsonSchema } = context;
  const isConstrained = ['pattern', 'format', 'enum', 'const'].some((keyword) => keyword in jsonSchema);
  if (jsonSchema['type'] === 'string' && !isConstrained) jsonSchema['pattern'] = '^[^\\u0000]*$';
}

/** Zod omits the default of a transformed value, so `queryInt` passes it under another name. */
function applyFallback({ jsonSchema }: { jsonSchema: Json }): void {
  if (jsonSchema['fallback'] === undefined) return;
  jsonSchema['default'] = jsonSchema['fallback'];
  delete jsonSchema['fallback'];
}

const integer = (description: string) => ({ description, schema: { type: 'integer' } });

const HEADERS = {
  'X-Request-ID': { description: 'The id of this request in the log.', schema: { type: 'string' } },
  'X-RateLimit-Limit': integer('Requests allowed in 15 minutes.'),
  'X-RateLimit-Remaining': integer('Requests left in this window.'),
  'X-RateLimit-Reset': integer('End of this window, Unix seconds.'),
  'Retry-After': integer('Seconds to wait before retrying.'),
};

const SECURITY_SCHEMES = {
  session: {
    type: 'http', scheme: 'bearer', bearerFormat: 'JWT',
    description: 'Session token from POST /api/auth/login. Takes precedence over an API key. A page in a browser '
      + 'sends `X-Farwatch-Session: cookie` with every request instead, including sign-in. The token is then '
      + 'in a cookie that scripts cannot read.',
  },
  apiKey: {
    type: 'apiKey', in: 'header', name: 'X-API-Key', description: '`fw_` and 64 hexadecimal characters.',
  },
  metricsToken: { type: 'http', scheme: 'bearer', description: 'The value of METRICS_TOKEN.' },
};

const object = (properties: Json, required = Object.keys(properties)) => {
  return { type: 'object', properties, required, additionalProperties: false };
};
const text = { type: 'string' };

const ISSUE_SCHEMA = object({
  code: text, path: { type: 'array', items: { type: ['string', 'integer'] } }, message: text,
});

const ERROR_SCHEMA = object({
  success: { const: false },
  error: object({
    code: { type: 'string', enum: Object.keys(ERROR_STATUS) },
    message: text,
    details: {
      description:
        'An object for most errors; an array of issues when a body, query or path fails validation.',
      anyOf: [{ type: 'object', additionalProperties: true }, { type: 'array', items: ISSUE_SCHEMA }],
    },
    retryAfter: { type: 'integer', description: 'Seconds to wait; present with RATE_LIMIT_EXCEEDED.' },
  }, ['code', 'message']),
});
