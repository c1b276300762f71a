import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppError } from '../../controller/errors/app-error.ts';
import { parsedBody } from '../../controller/http/routing/route-runner.ts';
import type { Route } from '../../controller/http/routing/route.ts';
import type { ValidationIssue } from '../../controller/http/input/validation.ts';
import { schemaViolations } from '../fuzz/schema-violations.ts';
import { readContract, type Contract, type Schema } from '../fuzz/document.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { brokenFrom, fitting } from '../helpers/schema-values.ts';
import { newTenant } from '../helpers/tenants.ts';

/** Number of values of each body, and of changes to each value. */
const VALUES = fewOrAll(4, 40);
const CHANGES = 4;

/**
 * Fields whose API rules a schema cannot express, and those rules. `#` is any index; a field
 * may be at any depth.
 */
const BEYOND_SCHEMAS: Record<string, string> = {
  'assertions.#.property': 'depends on the source; a path follows RFC 9535',
  'assertions.#.target': 'depends on the comparison',
  'record_entries.#.expected_values.#': 'depends on the type of the record',
  'expected_status_ranges.#': 'the second number is not below the first',
  'connect_to': 'international names follow IDNA',
  'dns_server': 'international names follow IDNA',
  'send': 'at most 1,024 bytes, counted without escapes',
  'expect': 'at most 1,024 bytes, counted without escapes',
  'headers': 'names are unique ignoring case, and none determines the framing',
  'to.#': 'at most 64 characters before the @',
  'email': 'at most 64 characters before the @',
  'custom_css': 'the grammar of CSS',
  'customCss': 'the grammar of CSS',
  'logo_url': 'what the URL parser takes', 'favicon_url': 'what the URL parser takes',
  'logoUrl': 'what the URL parser takes', 'faviconUrl': 'what the URL parser takes',
  'uptime_thresholds': 'operational is not below degraded',
  'timezone': 'the time zones that the runtime knows',
  'heartbeat_timezone': 'the time zones that the runtime knows',
  'heartbeat_schedule': 'the grammar of cron, with a time that comes',
  'recurrence': 'the grammar of RFC 5545, at most once a day',
  'project_roles': 'each project once',
  'monitors.#.monitor_id': 'each monitor once',
};

let app: TestApp;
let contract: Contract;
let bodies: { name: string; route: Route; schema: Schema }[];
beforeAll(async () => {
  app = await makeApp();
  contract = await readContract(app.url);
  bodies = app.routes.flatMap((route) => {
    const name = `${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`;
    const body = contract.operations.find((one) => one.name === name)?.body;
    return body?.types.includes('application/json') === true ? [{ name, route, schema: body.schema }] : [];
  });
});
afterAll(() => app.close());

/** The route's objections to the body before it looks up anything. */
async function issuesOf(route: Route, body: unknown): Promise<ValidationIssue[]> {
  try {
    await parsedBody(route, body);
    return [];
  } catch (error) {
    return (error as AppError).details as unknown as ValidationIssue[];
  }
}

function isBeyondSchemas({ path }: ValidationIssue): boolean {
  const at = path.map((part) => (typeof part === 'number' ? '#' : part)).join('.');
  return Object.keys(BEYOND_SCHEMAS).some((field) => {
    return `.${at}`.endsWith(`.${field}`) || (field === 'headers' && `.${at}`.includes('.headers.'));
  });
}

test('the API accepts everything that the schema of a body allows, except for rules that no schema can express', async () => {
  expect(bodies.length).toBeGreaterThan(50);
  const faults: string[] = [];
  for (const { name, route, schema } of bodies) {
    for (const body of fc.sample(fitting(schema, contract.named), VALUES)) {
      const issues = (await issuesOf(route, body)).filter((issue) => !isBeyondSchemas(issue));
      faults.push(...issues.map(({ path, message }) => `${name}: ${path.join('.')}: ${message}`));
    }
  }
  expect(faults).toEqual([]);
});

test('the API rejects everything that the schema of a body forbids', async () => {
  const { owner, projectId } = await newTenant(app);
  const client = owner.client.with({ 'x-project-id': projectId });
  const faults: string[] = [];
  let attempted = 0;
  for (const { name, route, schema } of bodies) {
    for (const value of fc.sample(fitting(schema, contract.named), VALUES)) {
      for (const body of fc.sample(brokenFrom(schema, value, contract.named), CHANGES)) {
        if (body === null) continue;
        attempted += 1;
        if ((await issuesOf(route, body)).length > 0) continue;
        // Some rules belong to the use case, such as the required settings of a heartbeat.
        const { status } = await client.send(route.method, route.path.replaceAll(/:\w+/g, projectId), { body });
        const [misfit] = schemaViolations(schema, body, contract.named);
        if (status !== 400) faults.push(`${name}: ${status}: ${misfit}: ${JSON.stringify(body).slice(0, 200)}`);
      }
    }
  }
  expect(attempted).toBeGreaterThan(1000);
  expect(faults).toEqual([]);
});

test('a text with NUL is rejected on every route, as its schema states', async () => {
  const { owner, projectId } = await newTenant(app);
  const body = { name: 'a\0b', description: 'a\0b' };
  const { schema } = bodies.find(({ name }) => name === 'POST /api/groups') as (typeof bodies)[number];
  expect(schemaViolations(schema, body, contract.named)).toHaveLength(2);
  const response = await owner.client.with({ 'x-project-id': projectId }).post('/api/groups', body);
  expect([response.status, response.body.error.code]).toEqual([400, 'JSON_PARSE_ERROR']);
});

test('patterns use only features that other tools can generate from', () => {
  const patterns = [...JSON.stringify(contract.operations).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)]
    .map(([, text]) => JSON.parse(text as string) as string);
  expect(patterns.length).toBeGreaterThan(50);
  for (const pattern of new Set(patterns)) {
    expect(pattern).not.toMatch(/\(\?[=!<]|\\p\{|\\[1-9bBkQ]/i);
    expect(() => new RegExp(pattern, 'u'), pattern).not.toThrow();
  }
});
