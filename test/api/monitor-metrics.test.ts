import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { scrape } from '../helpers/scrape.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await makeApp();
  tenant = await newTenant(app);
});
afterAll(() => app.close());

test('a scrape says so if the owners of shards do not respond', async () => {
  const response = await tenant.readKey.get('/api/metrics');
  expect(response.status).toBe(200);
  expect(response.text).toMatch(/\nfarwatch_scrape_complete 0\n$/);
  expect(response.text).toContain('# TYPE farwatch_monitor_checks_total counter\n');
});

test('OpenMetrics is for clients that prefer it', async () => {
  const found = await scrape(app.url, { 'x-api-key': tenant.readKeyText, accept: 'application/openmetrics-text' });
  expect(found.headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  expect(found.headers['vary']).toBe('Accept, Accept-Encoding');
  expect(found.text).toContain('# TYPE farwatch_monitor_checks counter\n');
  expect(found.text.endsWith('\n# EOF\n')).toBe(true);
});

test('HEAD has the headers of a scrape and reads nothing', async () => {
  const headers = { 'x-api-key': tenant.readKeyText, 'accept-encoding': 'gzip' };
  // More of them than may run and wait.
  for (let count = 0; count < 10; count += 1) {
    const response = await request(`${app.url}/api/metrics`, { method: 'HEAD', headers });
    expect([response.statusCode, response.headers['content-encoding']]).toEqual([200, 'gzip']);
    expect(await response.body.text()).toBe('');
  }
});

test('an API key may be the bearer token here, and nowhere else', async () => {
  const as = (key: string) => app.client.with({ authorization: `Bearer ${key}` });
  expect((await as(tenant.readKeyText).get('/api/metrics')).status).toBe(200);
  expect((await as(`fw_${'0'.repeat(64)}`).get('/api/metrics')).code).toBe('INVALID_API_KEY');
  expect((await as('fw_short').get('/api/metrics')).code).toBe('INVALID_TOKEN');
  expect((await as(tenant.owner.token).get('/api/metrics')).status).toBe(200);
  expect((await as(tenant.readKeyText).get('/api/monitors')).code).toBe('INVALID_TOKEN');
});

test('incidents of projects with the same name are added up', async () => {
  const { client } = tenant.owner;
  const second = (await client.post('/api/projects', { name: 'Default' })).data.project.id;
  for (const id of [tenant.projectId, second]) {
    const body = { title: 'Down', severity: 'major', source: 'manual', type: 'timeout', error_message: 'Down' };
    const response = await client.with({ 'x-project-id': id }).post('/api/incidents', body);
    expect(response.status, response.text).toBe(201);
  }
  const found = await scrape(app.url, { 'x-api-key': tenant.readKeyText });
  expect(found.value('farwatch_incidents_open{project="Default",severity="major"}')).toBe(2);
});
