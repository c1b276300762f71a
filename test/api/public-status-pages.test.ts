import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiClient } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

let app: TestApp;
let tenant: Tenant;
let client: ApiClient;
let pages: string;

beforeAll(async () => {
  app = await makeApp();
  tenant = await newTenant(app);
  client = tenant.writeKey.with({ 'x-project-id': tenant.projectId });
  pages = `/api/projects/${tenant.projectId}/status-pages`;
});
afterAll(() => app.close());

async function createMonitor(name: string): Promise<string> {
  const body = { name, type: 'HTTP', target: 'https://internal-target.example/', interval_seconds: 60 };
  return (await client.post('/api/monitors', body)).data.monitor.id;
}

async function createPage(settings: object = {}): Promise<{ id: string; subdomain: string }> {
  const body = { name: 'Acme', subdomain: `page-${randomUUID()}`, ...settings };
  return (await client.post(pages, body)).data.status_page;
}

const readJson = (subdomain: string) => app.client.get(`/api/public/status-pages/${subdomain}`);
const readHtml = (subdomain: string) => app.client.get(`/status/${subdomain}`);

test('everyone can read a page while it is published, and no one otherwise', async () => {
  const { id, subdomain } = await createPage();
  const states = async () => [(await readJson(subdomain)).status, (await readHtml(subdomain)).status];
  expect(await states()).toEqual([404, 404]);
  for (const [verb, status] of [['publish', 200], ['unpublish', 404], ['publish', 200], ['archive', 404]] as const) {
    await client.post(`${pages}/${id}/${verb}`);
    expect(await states(), verb).toEqual([status, status]);
  }
  await client.post(`${pages}/${id}/publish`);
  expect((await readJson(subdomain.toUpperCase())).status).toBe(200);
  await client.delete(`${pages}/${id}`);
  expect(await states()).toEqual([404, 404]);
  const [gone, never] = [await readJson(subdomain), await readJson('never-there')];
  expect(gone.error).toEqual(never.error);
});

test('a page shows its visible monitors under their public names, without their targets', async () => {
  const { id, subdomain } = await createPage({ description: 'How we are', uptime_timeframes: ['7d', '24h'] });
  const [shop, secret] = [await createMonitor('shop-eu-3'), await createMonitor('secret-monitor')];
  await client.put(`${pages}/${id}/monitors`, { monitors: [
    { monitor_id: shop, display_name: 'Shop', group_name: 'Web' }, { monitor_id: secret, is_visible: false },
  ] });
  await client.post(`${pages}/${id}/incidents`, {
    title: 'Slow', message: 'We look into it.', severity: 'minor', affected_monitor_ids: [shop, secret],
  });
  await client.post(`${pages}/${id}/publish`);
  const json = await readJson(subdomain);
  expect(json.headers.get('cache-control')).toBe('public, max-age=1');
  expect(json.data.status_page).toMatchObject({
    name: 'Acme', description: 'How we are', subdomain, timezone: 'UTC', color_scheme: 'system',
    overall: 'unknown',
    components: [{
      id: shop, name: 'Shop', group: 'Web', status: 'unknown', uptime: { '24h': null, '7d': null },
      response_time_ms: null,
    }],
    incidents: [{ title: 'Slow', status: 'investigating', affected: ['Shop'], updates: [] }],
  });
  const page = await readHtml(subdomain);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('cache-control')).toBe('public, max-age=1');
  for (const text of ['Shop', 'Web', 'Slow', 'We look into it.', 'No data available right now']) {
    expect(page.text).toContain(text);
  }
  for (const response of [json, page]) {
    for (const hidden of ['internal-target', 'shop-eu-3', 'secret-monitor', secret, tenant.organizationId]) {
      expect(response.text).not.toContain(hidden);
    }
  }
});

test('a page whose components are all up is not operational while a post is open or maintenance is in progress', async () => {
  const { id, subdomain } = await createPage();
  const monitor = await createMonitor('Shop');
  app.owners.live.set(monitor, {
    status: 'up', since: 1, last_check_at: Date.now(), last_success_at: null, last_failure_at: null,
    open_incident: null, regions: [], in_maintenance: false,
  });
  await client.put(`${pages}/${id}/monitors`, { monitors: [{ monitor_id: monitor }] });
  await client.post(`${pages}/${id}/publish`);
  const overall = () => expect.poll(async () => (await readJson(subdomain)).data.status_page.overall, { timeout: 30_000 });
  await overall().toBe('operational');
  await client.post(`/api/projects/${tenant.projectId}/maintenance-windows`, {
    title: 'New switches', status_page_ids: [id], monitor_ids: [],
    starts_at: new Date(Date.now() - 60_000).toISOString(), ends_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await overall().toBe('maintenance');
  const { incident } = (await client.post(`${pages}/${id}/incidents`, {
    title: 'Invoices are late', message: 'By up to an hour.', severity: 'major', affected_monitor_ids: [monitor],
  })).data;
  await overall().toBe('degraded');
  expect((await readHtml(subdomain)).text).toContain('Some systems are slow or degraded');
  await client.post(`${pages}/${id}/incidents/${incident.id}/resolve`);
  await overall().toBe('maintenance');
});

test('a page leaves out statistics that are turned off', async () => {
  const { id, subdomain } = await createPage({ show_uptime_percentage: false, show_response_time: false });
  await client.put(`${pages}/${id}/monitors`, { monitors: [{ monitor_id: await createMonitor('Plain') }] });
  await client.post(`${pages}/${id}/publish`);
  const { components } = (await readJson(subdomain)).data.status_page;
  expect(Object.keys(components[0]).sort()).toEqual(['group', 'id', 'name', 'status']);
});

test('a browser that requests a missing page gets an HTML page', async () => {
  const response = await readHtml('never-there');
  expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(response.text).toContain('This page doesn’t exist');
});

test('the style of a page is a separate file, and rules that could load or cover something are rejected', async () => {
  const { id, subdomain } = await createPage({ branding: { customCss: 'h1 { color: red }', primaryColor: '#1a7f37' } });
  for (const customCss of ['@import "https://evil.example/a.css";', 'a { background: url(//evil.example) }']) {
    const response = await client.put(`${pages}/${id}/branding`, { customCss });
    expect([response.status, response.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(response.error?.message).toMatch(/^Validation failed: customCss: Line 1: .* is not allowed$/);
  }
  const refused = await client.patch(`${pages}/${id}`, { custom_css: '</style><script>alert(1)</script>' });
  expect(refused.status).toBe(400);
  const readStyle = () => app.client.get(`/status/${subdomain}/style.css`);
  expect((await readStyle()).status).toBe(404);
  await client.post(`${pages}/${id}/publish`);
  const style = await readStyle();
  expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
  expect(style.headers.get('x-content-type-options')).toBe('nosniff');
  expect(style.text).toMatch(/^:root\{--brand:#1a7f37;--on-brand:#fff;--accent:#[0-9a-f]{6}\}\n/);
  expect(style.text).toMatch(/\[data-theme="dark"\]\{--accent:#[0-9a-f]{6}\}\n\.page h1\{color:red\}$/);
  expect((await readHtml(subdomain)).text)
    .toMatch(new RegExp(`<link rel="stylesheet" href="/status/${subdomain}/style.css\\?v=[0-9a-f]{16}">`));
});

test('a page lists its incidents by day, and marks days without any', async () => {
  const { id, subdomain } = await createPage({ incident_history_days: 3, timezone: 'Asia/Tokyo' });
  const monitor = await createMonitor('Shop');
  await client.put(`${pages}/${id}/monitors`, { monitors: [{ monitor_id: monitor }] });
  const post = async (title: string) => (await client.post(`${pages}/${id}/incidents`, {
    title, message: `Message of ${title}`, severity: 'minor', affected_monitor_ids: [monitor],
  })).data.incident.id as string;
  const [old, resolvedPost] = [await post('Old'), await post('Over')];
  for (const each of [old, resolvedPost]) await client.post(`${pages}/${id}/incidents/${each}/resolve`, { message: 'All is well.' });
  await post('Ongoing');
  const today = new Date().toISOString();
  const at = (back: number) => Date.parse(today) - back * 86_400_000;
  await app.db.collection<{ _id: string }>('status_page_posts').updateOne({ _id: old }, { $set: { published_at: at(2) } });
  await app.db.collection<{ _id: string }>('status_pages').updateOne({ _id: id }, { $set: { created_at: at(9) } });
  await client.post(`${pages}/${id}/publish`);
  const { text } = await readHtml(subdomain);
  const days = [...text.matchAll(/<div><h3>(.*?)<\/h3><div>(.*?)<\/div><\/div>/gs)].map(([, day, content = '']) =>
    [day, [...content.matchAll(/lang=en">(.*?)<|<p class="faint">(No .*?)</g)].map(([, title, none]) => title ?? none)]);
  const name = (back: number) => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Asia/Tokyo' }).format(at(back));
  expect(days).toEqual([
    [name(0), ['Ongoing', 'Over']], [name(1), ['No incidents reported']], [name(2), ['Old']],
  ]);
  expect(text.indexOf('Message of Ongoing')).toBeLessThan(text.indexOf('Past incidents'));
});

test('a page shows an ongoing incident that is older than 100 resolved ones', async () => {
  const { id, subdomain } = await createPage();
  const monitor = await createMonitor('Shop');
  await client.put(`${pages}/${id}/monitors`, { monitors: [{ monitor_id: monitor }] });
  const post = async (title: string, status: string) => (await client.post(`${pages}/${id}/incidents`, {
    title, message: 'Text', severity: 'minor', affected_monitor_ids: [monitor], status,
  })).data.incident.id as string;
  await post('Ongoing', 'identified');
  const resolvedPost = await post('Over', 'resolved');
  const posts = app.db.collection<{ _id: string; published_at: number }>('status_page_posts');
  const sample = await posts.findOne({ _id: resolvedPost });
  if (sample === null) throw new Error('The post is not stored');
  await posts.insertMany(Array.from({ length: 100 }, (_, at) =>
    ({ ...sample, _id: randomUUID(), published_at: sample.published_at + 1 + at })));
  await client.post(`${pages}/${id}/publish`);
  const { incidents } = (await readJson(subdomain)).data.status_page;
  expect(incidents.map(({ title }: { title: string }) => title).at(-1)).toBe('Ongoing');
});
