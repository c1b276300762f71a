import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleFile } from '../bundle.mjs';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newMember, newTenant } from '../helpers/tenants.ts';

const KUMA = readFileSync(join(import.meta.dirname, '../fixtures/moving/kuma-1.23.db'));
const TOKEN = 'a1B2c3D4e5F6g7H8i9J0';
const GATUS = 'endpoints: [{ name: a, url: "https://a.example", conditions: ["[STATUS] == 200"] }]\n';

let app: TestApp;
let converterBundle: string;
beforeAll(async () => {
  converterBundle = await bundleFile('controller/moving/convert-worker.ts');
  app = await makeApp({ converterBundle, plansJson: '{"free":{"monitors":5,"min_interval_seconds":120}}' });
});
afterAll(async () => {
  await app.close();
  rmSync(converterBundle);
});

const convert = (client: ApiClient, from: string, rawBody: string | Uint8Array, headers: Record<string, string> = {}) =>
  client.send('POST', `/api/import/convert?from=${from}`, { rawBody, headers: { 'content-type': 'application/octet-stream', ...headers } });
const reported = (data: Loose, name: string): Loose => data.report.items.find((item: Loose) => item['name'] === name);

describe('a file of another tool', () => {
  test('becomes a document; importing it twice, and converting it again, changes nothing', async () => {
    const { owner: { client } } = await newTenant(app);
    const { status, data, text } = await convert(client, 'kuma', KUMA);
    expect(status, text.slice(0, 500)).toBe(200);
    const { full, partial, skipped, items } = data.report;
    expect(full + partial + skipped).toBe(items.length);
    expect((await client.get('/api/monitors')).data.pagination.total_count).toBe(0);

    const { document } = data;
    const count = Object.values(document).filter(Array.isArray).flat().length;
    expect(document.monitors.find((monitor: Loose) => monitor['name'] === 'Shop page').destinations).toEqual(['Ops chat']);
    const created = await client.post('/api/import', document);
    expect(created.data?.summary, created.text).toEqual({ created: count, updated: 0, unchanged: 0 });
    for (const again of [document, (await convert(client, 'kuma', KUMA)).data.document]) {
      expect(again).toEqual(document);
      expect((await client.post('/api/import', again)).data.summary).toEqual({ created: 0, updated: 0, unchanged: count });
    }
    expect((await client.get(`/api/push/${TOKEN}?status=up&msg=OK&ping=`)).status).toBe(200);
  });

  test('of which another organization has tokens and addresses gets new ones', async () => {
    const { owner: { client }, projectId } = await newTenant(app);
    const { data } = await convert(client, 'kuma', KUMA);
    const backup = data.document.monitors.find((monitor: Loose) => monitor['name'] === 'Backup');
    expect(backup.heartbeat_token).toBeUndefined();
    expect(reported(data, 'Backup')).toMatchObject({
      result: 'partial', notes: ['It gets a new token, because another heartbeat has its own; change its jobs.'],
    });
    const subdomain = `shop-${projectId.slice(-8)}`;
    expect(data.document.status_pages).toMatchObject([{ subdomain }]);
    expect(reported(data, 'Shop status').notes.at(-1)).toBe(`Its address ends with ${subdomain}, because shop is taken.`);
    expect((await client.post('/api/import', data.document)).status).toBe(200);
    const again = await convert(client, 'kuma', KUMA);
    expect((await client.post('/api/import', again.data.document)).data.summary).toMatchObject({ created: 0, updated: 0 });
  });

  test('has no status pages and destinations for those who may not import them', async () => {
    const tenant = await newTenant(app);
    const { client } = await newMember(app, tenant, 'member');
    const { data } = await convert(client, 'kuma', KUMA);
    expect(data.document.status_pages).toEqual([]);
    expect(reported(data, 'Shop status')).toMatchObject({ result: 'skipped' });
    expect(data.document.integrations).toEqual([]);
    expect(reported(data, 'Ops chat').notes).toEqual(['Only project admins can import destinations.']);
    expect(reported(data, 'Shop page')).toMatchObject({ result: 'partial', notes: ['It does not alert Ops chat.'] });
    expect((await client.post('/api/import', data.document)).status).toBe(200);
  });

  test('has no destinations at private addresses, unless the project has them', async () => {
    const { writeKey: client } = await newTenant(app);
    const config = `alerting: { ntfy: { topic: t, url: "http://192.168.0.1" } }\n${GATUS.replace('}]', ', alerts: [{ type: ntfy }] }]')}`;
    const { data } = await convert(client, 'gatus', config);
    expect(reported(data, 'ntfy')).toMatchObject({ result: 'skipped', notes: [
      expect.stringMatching(/^config.base_url: The address must be publicly reachable: .*ALLOW_PRIVATE_DESTINATIONS/),
    ] });
    expect(data.document.monitors).toMatchObject([{ name: 'a', destinations: [] }]);
    const own = { name: 'ntfy', type: 'ntfy', config: { topic: 't' } };
    expect((await client.post('/api/import', { integrations: [own] })).status).toBe(200);
    expect((await convert(client, 'gatus', config)).data.document.monitors).toMatchObject([{ destinations: ['ntfy'] }]);
  });

  test('is converted for editors only', async () => {
    const tenant = await newTenant(app);
    expect((await convert(tenant.readKey, 'gatus', GATUS)).code).toBe('READ_ONLY_API_KEY');
    const { client } = await newMember(app, tenant, 'viewer');
    expect((await convert(client, 'gatus', GATUS)).code).toBe('INSUFFICIENT_PERMISSIONS');
    expect((await convert(app.client, 'gatus', GATUS)).code).toBe('MISSING_AUTH');
  });
});

describe('a bad file', () => {
  test.each<[string, string, string | Uint8Array, string]>([
    ['of another tool', 'kuma', GATUS, 'Validation failed: The file is not a database or backup of Uptime Kuma. It looks like a '
      + 'configuration of Gatus (from=gatus)'],
    ['without content', 'csv', ' ', 'Validation failed: The file is empty'],
    ['that is damaged', 'kuma', KUMA.subarray(0, 1000), 'Validation failed: The SQLite database cannot be read: '],
    ['with deep nesting', 'gatus', `endpoints: ${'['.repeat(50_000)}`, 'Validation failed: The file is '],
  ])('%s is refused with the reason', async (_title, from, file, message) => {
    const { writeKey: client } = await newTenant(app);
    const { status, code, error } = await convert(client, from, file);
    expect([status, code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(error.message).toContain(message);
  });

  test('above 64 MB is refused with 413 and a hint', async () => {
    const { writeKey: client } = await newTenant(app);
    const { status, code, error } = await convert(client, 'kuma', Buffer.alloc(64 * 1024 * 1024 + 1));
    expect([status, code]).toEqual([413, 'BAD_REQUEST']);
    expect(error.message).toBe(
      'Request body is larger than 64 MB. Remove the history of results from a copy of the file, and send that',
    );
  });

  test('in a form, compressed, or of an unknown tool is refused', async () => {
    const { writeKey: client } = await newTenant(app);
    const form = await convert(client, 'csv', '--x', { 'content-type': 'multipart/form-data; boundary=x' });
    expect([form.code, form.error.message]).toEqual(['INVALID_INPUT', 'Send the file itself as the body, not a form']);
    expect((await convert(client, 'csv', 'x', { 'content-encoding': 'gzip' })).code).toBe('INVALID_INPUT');
    expect((await convert(client, 'nagios', 'x')).error.details[0].path).toEqual(['from']);
  });
});

test('10,000 items over the limit of the plan: the import is refused as a whole', async () => {
  const { writeKey: client, owner } = await newTenant(app);
  await owner.client.put('/api/billing/plan', { plan: 'free' });
  const rows = Array.from({ length: 10_000 }, (_, at) => `m${at},HTTP,https://m${at}.example/,60`).join('\n');
  const { data } = await convert(client, 'csv', `name,type,target,interval_seconds\n${rows}`);
  expect(data.report).toMatchObject({ full: 0, partial: 10_000, skipped: 0 });
  expect(data.report.items[0]).toEqual({ name: 'm0', result: 'partial', notes: ['The interval is 120 s instead of 60 s.'] });
  const refused = await client.post('/api/import', data.document);
  expect([refused.code, refused.error.details]).toEqual(['MONITOR_LIMIT_REACHED', { limit: 5, usage: 0 }]);
  expect((await client.get('/api/monitors')).data.pagination.total_count).toBe(0);
});
