import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';

let app: TestApp;
beforeAll(async () => {
  app = await makeApp();
});
afterAll(() => app.close());

const monitor = (name: string, target = 'https://shop.example/') =>
  ({ name, type: 'HTTP', target, interval_seconds: 60 });
const newSubdomain = () => `page-${randomUUID()}`;

function document(subdomain = newSubdomain()) {
  return {
    monitors: [monitor('Shop', 'https://a.example/'), monitor('Shop', 'https://b.example/'), monitor('API')],
    status_pages: [
      {
        name: 'Acme', subdomain, status: 'published', description: 'How we are', timezone: 'Europe/Berlin',
        custom_domain: `${subdomain}.example`, uptime_timeframes: ['7d'], branding: { primaryColor: '#112233' },
        monitors: [
          { monitor: 'API', display_name: 'Interface', group_name: 'Web' },
          { monitor: 'Shop', target: 'https://b.example/', is_visible: false },
        ],
      },
      { name: 'Inside', subdomain: newSubdomain() },
    ],
  };
}

const summaryOf = async (client: ApiClient, body: object, query = '') =>
  (await client.post(`/api/import${query}`, body)).data.summary;
const pagesOf = async ({ readKey, projectId }: Tenant): Promise<Loose[]> =>
  (await readKey.with({ 'x-project-id': projectId }).get(`/api/projects/${projectId}/status-pages`))
    .data.status_pages;

test('pages are planned and applied with the monitors of their document; repeating it changes nothing', async () => {
  const tenant = await newTenant(app);
  const { writeKey: client } = tenant;
  const input = document();
  const dry = await client.post('/api/import?dry_run=true', input);
  expect(dry.data.status_pages).toEqual([
    { name: 'Acme', action: 'create', changes: [], differences: [], id: null },
    { name: 'Inside', action: 'create', changes: [], differences: [], id: null },
  ]);
  expect(await pagesOf(tenant)).toEqual([]);
  expect(await summaryOf(client, input)).toEqual({ created: 5, updated: 0, unchanged: 0 });
  const [inside, acme] = await pagesOf(tenant);
  expect(inside).toMatchObject({ name: 'Inside', status: 'draft' });
  expect(acme).toMatchObject({
    name: 'Acme', status: 'published', timezone: 'Europe/Berlin', custom_domain_verified: false,
    branding: { primaryColor: '#112233' },
    monitors: [
      { monitor_name: 'API', display_name: 'Interface', group_name: 'Web', is_visible: true },
      { monitor_name: 'Shop', monitor_url: 'https://b.example/', is_visible: false },
    ],
  });
  const exported = (await tenant.readKey.get('/api/export')).data;
  expect(exported.status_pages[0].monitors).toMatchObject([
    { monitor: 'API' }, { monitor: 'Shop', target: 'https://b.example/' },
  ]);
  expect(exported.status_pages[0].monitors[0]).not.toHaveProperty('target');
  expect(parse((await tenant.readKey.get('/api/export?format=yaml')).text)).toEqual(exported);
  const byName = { status_pages: [{ name: 'Acme', status: 'published' }] };
  for (const again of [input, exported]) {
    expect(await summaryOf(client, again)).toEqual({ created: 0, updated: 0, unchanged: 5 });
  }
  expect(await summaryOf(client, byName)).toEqual({ created: 0, updated: 0, unchanged: 1 });

  const elsewhere = await newTenant(app);
  const moved = {
    ...exported,
    status_pages: exported.status_pages.map((page: Loose) => ({ ...page, subdomain: newSubdomain() })),
  };
  expect(await summaryOf(elsewhere.writeKey, moved)).toEqual({ created: 5, updated: 0, unchanged: 0 });
  expect((await elsewhere.readKey.get('/api/export')).data).toEqual(moved);
});

test('an import changes only differing fields, and keeps those it does not mention', async () => {
  const tenant = await newTenant(app);
  const { writeKey: client } = tenant;
  const input = document();
  await client.post('/api/import', input);
  const change = { status_pages: [{
    name: 'Renamed', subdomain: input.status_pages[0]?.subdomain, status: 'draft',
    branding: { footerText: 'Imprint' }, monitors: [{ monitor: 'API' }],
  }] };
  for (const query of ['?dry_run=true', '']) {
    const { data } = await client.post(`/api/import${query}`, change);
    expect(data.status_pages).toMatchObject([
      { action: 'update', changes: ['name', 'branding', 'monitors', 'status'] },
    ]);
    expect(data.status_pages[0].differences).toMatchObject([
      { field: 'name', before: 'Acme', after: 'Renamed' },
      { field: 'branding.footerText', before: null, after: 'Imprint' },
      {
        field: 'monitors', after: [{ monitor: 'API', display_name: null }],
        before: [{ monitor: 'API', display_name: 'Interface' }, { monitor: 'Shop', is_visible: false }],
      },
      { field: 'status', before: 'published', after: 'draft' },
    ]);
  }
  const page = (await pagesOf(tenant)).find(({ name }) => name === 'Renamed');
  expect(page).toMatchObject({
    status: 'draft', description: 'How we are', branding: { primaryColor: '#112233', footerText: 'Imprint' },
    monitors: [{ monitor_name: 'API', display_name: null }],
  });
});

test('an invalid page rejects the whole document', async () => {
  const tenant = await newTenant(app);
  const [foreign, subdomain] = [await newTenant(app), newSubdomain()];
  await foreign.writeKey.post('/api/import', { status_pages: [{ name: 'Theirs', subdomain }] });
  await foreign.writeKey.post('/api/monitors', monitor('Their monitor'));
  const refused = async (status_pages: object[], client = tenant.writeKey) => {
    const response = await client.post('/api/import', { monitors: [monitor('New')], status_pages });
    expect((await tenant.readKey.get('/api/monitors')).data.pagination.total_count).toBe(0);
    expect(await pagesOf(tenant)).toEqual([]);
    return [response.status, response.code, response.error?.message];
  };
  const fault = (code: string, text: string, status = 400) => [status, code, expect.stringContaining(text) as string];
  const page = { name: 'P', subdomain: newSubdomain() };
  expect(await refused([{ name: 'P' }])).toEqual(fault('VALIDATION_ERROR', 'status_pages.0.subdomain: Required'));
  expect(await refused([{ ...page, monitors: [{ monitor: 'Their monitor' }] }]))
    .toEqual(fault('VALIDATION_ERROR', 'status_pages.0.monitors.0.monitor: Unknown monitor'));
  expect(await refused([page, page])).toEqual(fault('VALIDATION_ERROR', 'status_pages.1.name: Listed twice'));
  expect(await refused([{ ...page, monitors: [{ monitor: 'New' }, { monitor: 'New' }] }]))
    .toEqual(fault('VALIDATION_ERROR', 'status_pages.0.monitors.1.monitor: Unknown monitor'));
  expect(await refused([{ ...page, subdomain }])).toEqual(fault('SLUG_ALREADY_TAKEN', subdomain, 409));
  const editor = await newMember(app, tenant, 'member');
  expect(await refused([page], editor.client)).toEqual(fault('INSUFFICIENT_PERMISSIONS', 'project admins', 403));
  expect((await editor.client.post('/api/import', { groups: [{ name: 'G' }] })).status).toBe(200);
});

test('the plan limits imported pages', async () => {
  const tenant = await newTenant(app);
  const plan = { plan: 'free' };
  await tenant.owner.client.put('/api/billing/plan', plan);
  const page = () => ({ name: 'P', subdomain: newSubdomain() });
  const codes = async (...status_pages: object[]) =>
    (await tenant.writeKey.post('/api/import', { status_pages })).code;
  expect(await codes(page(), page())).toBe('PLAN_LIMIT_EXCEEDED');
  expect(await codes({ ...page(), custom_domain: 'status.acme.example' })).toBe('INSUFFICIENT_PLAN');
  expect(await pagesOf(tenant)).toEqual([]);
  expect(await codes(page())).toBeUndefined();
});
