import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERROR_STATUS, type ErrorCode } from '../../controller/errors/app-error.ts';
import type { Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { strictSchema } from '../helpers/strict-schema.ts';
import { newTenant } from '../helpers/tenants.ts';

let app: TestApp;
let document: Loose;
beforeAll(async () => {
  app = await makeApp();
  document = (await app.client.get('/api/openapi.json')).body;
});
afterAll(() => app.close());

const operations = (): { name: string; path: string; operation: Loose }[] =>
  Object.entries<Loose>(document.paths).flatMap(([path, item]) =>
    Object.entries<Loose>(item).map(
      ([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`, path, operation: { ...operation, responses: responsesOf(operation) },
      }),
    ));

/** With references resolved. */
function responsesOf({ responses }: Loose): Loose {
  return Object.fromEntries(Object.entries<Loose>(responses).map(([status, response]) =>
    [status, document.components.responses[response.$ref?.split('/').at(-1)] ?? response]));
}

/** Every schema below `value`, with its path. */
function schemasIn(value: Loose, at = ''): [string, Loose][] {
  if (typeof value !== 'object' || value === null) return [];
  const own: [string, Loose][] = at.endsWith('/schema') ||
    /\/(items|properties\/[^/]+|anyOf\/\d+|oneOf\/\d+)$/.test(at)
    ? [[at, value]]
    : [];
  return [
    ...own, ...Object.entries<Loose>(value).flatMap(([name, inner]) => schemasIn(inner, `${at}/${name}`)),
  ];
}

describe('the OpenAPI document', () => {
  test('has version 3.1 and lists every route once', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(operations().map(({ name }) => name).sort()).toEqual(
      app.routes.map((route) => `${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`).sort(),
    );
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('declares the parameters of each path, and the success and errors of each operation', () => {
    for (const { name, path, operation } of operations()) {
      const declared = (operation.parameters ?? []).filter((parameter: Loose) => parameter.in === 'path').map(
        (parameter: Loose) => parameter.name,
      );
      expect(declared, name).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
      const statuses = Object.keys(operation.responses).map(Number);
      expect(statuses.some((status) => status === 101 || status >= 200 && status < 300), name).toBe(true);
      expect(statuses, name).toEqual(expect.arrayContaining([400, 429, 500, 503].filter(
        (status) => status !== 500 || !operation.responses[400].description.includes('FETCH'),
      )));
    }
  });

  test('declares 304 where clients can revalidate their copies', () => {
    const isRevalidated = ({ operation }: { operation: Loose }) => operation.responses[304] !== undefined;
    const page = '/status/{subdomain}';
    expect(operations().filter(isRevalidated).map(({ path }) => path).sort()).toEqual([
      '/', '/api/docs/files/{version}/scripts/{file}', '/api/docs/files/{version}/styles/{file}',
      '/api/monitors/overview', '/api/monitors/{id}/badge.svg', '/api/openapi.json',
      '/api/public/status-pages/{subdomain}', '/api/public/status-pages/{subdomain}/badge.svg',
      '/console/assets/{file}', page, `${page}/embed`,
      ...['atom', 'json', 'rss'].map((format) => `${page}/feed.${format}`), `${page}/style.css`,
    ].sort());
  });

  test('links each creation to the operations on the created resource', async () => {
    const linked = operations().filter(({ operation }) => operation.responses[201]?.links !== undefined);
    expect(linked.map(({ name }) => name)).toEqual(expect.arrayContaining([
      'POST /api/monitors', 'POST /api/groups', 'POST /api/integrations', 'POST /api/incidents', 'POST /api/regions',
      'POST /api/probes', 'POST /api/projects/{projectId}/status-pages',
      'POST /api/projects/{projectId}/status-pages/{id}/incidents',
    ]));
    const page = document.paths['/api/projects/{projectId}/status-pages'].post.responses[201].links;
    expect(page.getProjectsProjectIdStatusPagesId).toEqual({
      operationId: 'getProjectsProjectIdStatusPagesId',
      parameters: { projectId: '$request.path.projectId', id: '$response.body#/data/status_page/id' },
    });
    const { writeKey: client } = await newTenant(app);
    const { data } = await client.post('/api/groups', { name: 'Linked' });
    const link = document.paths['/api/groups'].post.responses[201].links.getGroupsId;
    const [, ...steps] = link.parameters.id.split('#')[1].split('/');
    const id = steps.slice(1).reduce((at: Loose, step: string) => at[step], data);
    expect((await client.get(`/api/groups/${id}`)).data).toMatchObject({ id, name: 'Linked' });
  });

  test('declares the credential that each operation requires', () => {
    expect(document.paths['/api/auth/login'].post.security).toEqual([]);
    expect(document.paths['/api/auth/api-keys'].get.security).toEqual([{ session: [] }]);
    expect(document.paths['/api/monitors'].post.security).toEqual([{ session: [] }, { apiKey: [] }]);
    const refusals = (path: string, method: string) =>
      responsesOf(document.paths[path][method])['403'].description;
    expect(refusals('/api/monitors', 'post')).toContain('`READ_ONLY_API_KEY`');
    expect(refusals('/api/auth/api-keys', 'get')).toContain('`JWT_REQUIRED`');
  });

  test('types every field of every response, and closes every object', () => {
    for (const { name, operation } of operations()) {
      for (const [status, response] of Object.entries<Loose>(operation.responses)) {
        if (Number(status) >= 400) continue;
        const where = (at: string) => `${name} ${status} ${at}`;
        for (const [at, schema] of schemasIn(response.content, '')) {
          expect(Object.keys(schema).length, where(at)).toBeGreaterThan(0);
          if (schema.type === 'object') expect(schema.additionalProperties, where(at)).toBeDefined();
          if (schema.type === 'array') expect(schema.items, where(at)).toBeDefined();
        }
      }
    }
    for (const route of app.routes) {
      for (const declared of Object.values(route.responses)) if (!('contentType' in declared)) strictSchema(declared);
    }
  });

  test('types every field of every body and parameter, and marks read-only fields', () => {
    const kinds = ['type', '$ref', 'anyOf', 'oneOf', 'const', 'enum'];
    for (const { name, operation } of operations()) {
      const sent = [
        ...schemasIn(operation.requestBody?.content ?? {}),
        ...schemasIn({ parameters: operation.parameters ?? [] }),
      ];
      if (operation.requestBody !== undefined) expect(sent.length, name).toBeGreaterThan(0);
      for (const [at, schema] of sent) {
        if (schema.readOnly === true) continue;
        expect(kinds.some((kind) => kind in schema), `${name} ${at} ${JSON.stringify(schema)}`).toBe(true);
        if (schema.type === 'object') expect(schema.additionalProperties, `${name} ${at}`).toBeDefined();
        if (schema.type === 'array') expect(schema.items, `${name} ${at}`).toBeDefined();
      }
    }
    const { id, name } =
      document.paths['/api/monitors'].post.requestBody.content['application/json'].schema.properties;
    expect([id.readOnly, name.readOnly]).toEqual([true, undefined]);
  });

  test('gives each operation a short summary, and lists existing error codes under their status', () => {
    for (const { name, operation } of operations()) {
      expect(operation.summary, name).toMatch(/^[A-Z][^\n]{3,100}[^.\s]$/);
      for (const [status, response] of Object.entries<Loose>(operation.responses)) {
        if (Number(status) < 400) continue;
        const codes =
          [...response.description.matchAll(/`([A-Z_]+)`/g)].map((match) => match[1] as ErrorCode);
        expect(codes.length, `${name} ${status}`).toBeGreaterThan(0);
        // A file that is too large has a status of its own.
        if (status !== '413') for (const code of codes) expect(ERROR_STATUS[code], `${name} ${code}`).toBe(Number(status));
      }
    }
  });

  test('lists the errors of every path', async () => {
    for (const row of [
      '400 | `VALIDATION_ERROR`, with the issue `unrecognized_keys`', '405 | `METHOD_NOT_ALLOWED`',
      '408 | `BAD_REQUEST`', '431 | `BAD_REQUEST`',
    ]) expect(document.info.description).toContain(`| ${row} |`);
    const { owner } = await newTenant(app);
    const unknown = await owner.client.get('/api/monitors?surplus=1');
    expect([unknown.status, unknown.code, unknown.error.details[0].code]).toEqual([400, 'VALIDATION_ERROR', 'unrecognized_keys']);
    const other = await owner.client.delete('/api/monitors');
    expect([other.status, other.code, other.headers.get('allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', 'GET, HEAD, OPTIONS, POST']);
    const large = await fetch(`${app.url}/api/monitors`, { headers: { 'x-large': 'x'.repeat(17_000) } });
    expect([large.status, (await large.json() as Loose).error.code]).toEqual([431, 'BAD_REQUEST']);
  });

  test('has the status maintenance only for components of status pages', () => {
    const paths = schemasIn(document).filter(([at, schema]) =>
      schema.enum?.includes('maintenance') && !at.includes('/parameters/')).map(([at]) => at);
    expect(paths.sort()).toEqual([
      'PublicStatusPage/properties/components/items/properties/status', 'PublicStatusPage/properties/overall',
      'StatusPageMonitor/properties/monitor_status',
    ].map((path) => `/components/schemas/${path}`));
  });

  test('names the schemas that programs use most, for generated types', () => {
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining([
      'Monitor', 'ListedMonitor', 'Result', 'Incident', 'Group', 'Integration', 'Region', 'Probe', 'Project',
      'Member', 'ApiKey', 'AuditEntry', 'StatusPage', 'MaintenanceWindow',
    ]));
  });

  test('has no dangling reference', () => {
    const text = JSON.stringify(document);
    for (const [, pointer] of text.matchAll(/"\$ref":"#([^"]+)"/g)) {
      const target =
        (pointer as string).split('/').slice(1).reduce((value: Loose, name) => value?.[name], document);
      expect(target, pointer).toBeDefined();
    }
  });

  test('states the rules of a query and a body as they are enforced', () => {
    const query = document.paths['/api/monitors'].get.parameters;
    expect(query.find((one: Loose) => one.name === 'limit').schema).toMatchObject({
      type: 'integer', minimum: 1, maximum: 100, default: 50,
    });
    expect(query.map((one: Loose) => one.name)).toEqual(
      expect.arrayContaining(['X-Project-ID', 'X-Organization-ID', 'search', 'group_id']),
    );
    const body = document.paths['/api/monitors'].post.requestBody.content['application/json'].schema;
    expect(body.required.sort()).toEqual(['name', 'type']);
    expect([body.then.required, body.else.required]).toEqual([
      ['grace_period'], ['target', 'interval_seconds'],
    ]);
    expect(body.properties.interval_seconds).toMatchObject({ type: 'integer', minimum: 30, maximum: 86_400 });
    expect(body.additionalProperties).toBe(false);
    const period =
      document.paths['/api/monitors/{id}/stats'].get.parameters.find((one: Loose) => one.name === 'period');
    expect(period.schema).toMatchObject({ enum: ['7d', '30d', '90d'], default: '30d' });
  });
});
