import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiClient } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { newTenant } from '../helpers/tenants.ts';

const HOSTILE = ']]></title><script>alert(1)</script> & "quotes" \uFFFF';

let app: TestApp;
let client: ApiClient;
let page: { id: string; subdomain: string; path: string };
let monitors: { shown: string; hidden: string };

beforeAll(async () => {
  app = await makeApp();
  const tenant = await newTenant(app);
  client = tenant.writeKey.with({ 'x-project-id': tenant.projectId });
  const pages = `/api/projects/${tenant.projectId}/status-pages`;
  const subdomain = `page-${randomUUID()}`;
  const { id } = (await client.post(pages, { name: 'Acme & Co', subdomain })).data.status_page;
  page = { id, subdomain, path: `${pages}/${id}` };
  const monitor = async (name: string): Promise<string> => (await client.post('/api/monitors', {
    name, type: 'HTTP', target: 'https://internal-target.example/', interval_seconds: 60,
  })).data.monitor.id;
  monitors = { shown: await monitor('shop-eu-3'), hidden: await monitor('secret') };
  app.owners.live.set(monitors.shown, {
    status: 'down', since: 1, last_check_at: 1, last_success_at: null, last_failure_at: 1, open_incident: null,
    in_maintenance: false, regions: [],
  });
  await client.put(`${page.path}/monitors`, { monitors: [
    { monitor_id: monitors.shown, display_name: 'Shop' }, { monitor_id: monitors.hidden, is_visible: false },
  ] });
  const post = (await client.post(`${page.path}/incidents`, {
    title: 'Trouble', message: HOSTILE, severity: 'major', affected_monitor_ids: [monitors.shown],
  })).data.incident;
  await client.post(`${page.path}/incidents/${post.id}/updates`, { status: 'identified', message: 'A <disk>.' });
  await client.post(`${page.path}/publish`);
});
afterAll(() => app.close());

const read = (path: string) => app.client.get(path);
const everything = () => [
  `/status/${page.subdomain}`, `/api/public/status-pages/${page.subdomain}`, `/status/${page.subdomain}/embed`,
  ...['atom', 'rss', 'json'].map((format) => `/status/${page.subdomain}/feed.${format}`),
  `/status/${page.subdomain}/components/${monitors.shown}`,
  `/api/public/status-pages/${page.subdomain}/badge.svg`, `/api/monitors/${monitors.shown}/badge.svg`,
];

test('feeds contain posts and their updates as text, with absolute links', async () => {
  const [atom, rss, json] = await Promise.all(
    ['atom', 'rss', 'json'].map((format) => read(`/status/${page.subdomain}/feed.${format}?lang=de`)),
  );
  expect([atom, rss, json].map((response) => response?.headers.get('content-type'))).toEqual([
    'application/atom+xml; charset=utf-8', 'application/rss+xml; charset=utf-8',
    'application/feed+json; charset=utf-8',
  ]);
  for (const response of [atom, rss]) {
    expect(response?.text).not.toMatch(/<script|<disk|\uFFFF/);
    expect(response?.text).toContain('Trouble (Ursache gefunden)');
    expect(response?.text).toContain(`${app.url}/status/${page.subdomain}/incidents/`);
    expect(response?.text).toContain('<?xml version="1.0" encoding="utf-8"?>');
  }
  expect(atom?.text).toContain('A &#60;disk&#62;.');
  // Once for XML, and once more for the HTML that RSS readers expect.
  expect(rss?.text).toContain('A &#38;#60;disk&#38;#62;.');
  const feed = JSON.parse(json?.text ?? '');
  expect(feed).toMatchObject({ version: 'https://jsonfeed.org/version/1.1', title: 'Acme & Co · Status', language: 'de' });
  expect(feed.items).toHaveLength(1);
  expect(feed.items[0].content_text).toMatch(/Betroffen: Shop\n\n.*Ursache gefunden: A <disk>\.\n\n/);
});

test('badges show the status of the page, and other sites may embed them', async () => {
  const [ofPage, status, uptime] = await Promise.all([
    read(`/api/public/status-pages/${page.subdomain}/badge.svg`),
    read(`/api/monitors/${monitors.shown}/badge.svg?lang=fr`),
    read(`/api/monitors/${monitors.shown}/badge.svg?show=uptime`),
  ]);
  expect(ofPage.text).toContain('aria-label="Acme &#38; Co: All systems are down"');
  expect(status.text).toContain('aria-label="Shop: En panne"');
  expect(uptime.text).toContain('aria-label="Shop · 90 days: no data"');
  expect(status.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
  expect(status.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect(status.headers.get('content-security-policy')).toContain("default-src 'none'");
});

test('a monitor that is on no published page has no badge', async () => {
  for (const id of [monitors.hidden, randomUUID()]) {
    expect((await read(`/api/monitors/${id}/badge.svg`)).status).toBe(404);
  }
});

test('a popular badge does not cost a query per view, and follows its page', async () => {
  const commands: string[] = [];
  const clock = new SimulatedClock(Date.now());
  const still = await makeApp({
    mongoUrl: app.mongoUrl, clock, onCommand: (command) => commands.push(Object.keys(command)[0] ?? ''),
  });
  still.owners.live.set(monitors.shown, app.owners.live.get(monitors.shown) as never);
  const path = `/api/monitors/${monitors.shown}/badge.svg`;
  const first = await still.client.get(path);
  expect(first.headers.get('cache-control')).toBe('public, max-age=60');
  commands.length = 0;
  for (let view = 0; view < 20; view += 1) expect((await still.client.get(path)).text).toBe(first.text);
  expect((await still.client.get(`${path}?lang=de`)).text).toContain('aria-label="Shop: ');
  expect(commands).toEqual([]);

  const unknown = `/api/monitors/${monitors.hidden}/badge.svg`;
  expect((await still.client.get(unknown)).status).toBe(404);
  commands.length = 0;
  expect((await still.client.get(unknown)).status).toBe(404);
  expect(commands).toEqual([]);

  // Another controller unpublishes the page, and publishes it again.
  await client.post(`${page.path}/unpublish`);
  await clock.advance(2500);
  expect((await still.client.get(path)).status).toBe(404);
  await client.post(`${page.path}/publish`);
  await clock.advance(2500);
  expect((await still.client.get(path)).status).toBe(200);
  await still.close();
});

test('only the embed may be framed', async () => {
  for (const [path, ancestors, options] of [
    ['', "'none'", 'DENY'], ['/feed.json', "'none'", 'DENY'], ['/embed', '*', null],
  ] as const) {
    const { headers } = await read(`/status/${page.subdomain}${path}`);
    expect(headers.get('content-security-policy'), path).toContain(`frame-ancestors ${ancestors}`);
    expect(headers.get('x-frame-options'), path).toBe(options);
  }
});

test('clients with a current copy of a feed, badge or style get no body', async () => {
  const ofPage = ['feed.atom', 'feed.json', 'embed', 'style.css'].map((file) => `/status/${page.subdomain}/${file}`);
  for (const path of [...ofPage, `/api/monitors/${monitors.shown}/badge.svg`]) {
    const tag = (await read(path)).headers.get('etag') ?? '';
    // The API tests' client accepts only declared responses.
    const headers = { 'if-none-match': tag, 'accept-encoding': 'identity' };
    const revalidated = await fetch(app.url + path, { headers });
    expect([revalidated.status, await revalidated.text()], path).toEqual([304, '']);
  }
});

test('public responses contain no targets or hidden monitors, and disappear with the page', async () => {
  for (const path of everything()) {
    const response = await read(path);
    expect(response.status, path).toBe(200);
    for (const secret of ['internal-target', 'shop-eu-3', 'secret', monitors.hidden]) {
      expect(response.text, path).not.toContain(secret);
    }
  }
  for (const verb of ['unpublish', 'publish', 'archive', 'publish']) {
    await client.post(`${page.path}/${verb}`);
    const expected = verb === 'publish' ? 200 : 404;
    for (const path of everything()) expect((await read(path)).status, `${verb} ${path}`).toBe(expected);
  }
  await client.delete(page.path);
  for (const path of everything()) expect((await read(path)).status, path).toBe(404);
});
