import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { loadControllerConfig } from '../../controller/config.ts';
import { SessionCookie } from '../../controller/http/routing/authorize.ts';
import { createStartupServer } from '../../controller/http/server/startup-server.ts';
import { openPublicPages } from '../../controller/wiring/status-pages.ts';
import { AcknowledgeTokens } from '../../controller/access/link-tokens.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock } from '../../shared/time.ts';
import { ApiClient } from '../helpers/api-client.ts';
import { monitorConfig } from '../helpers/delivery-rig.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { linkIn } from '../helpers/read-mail.ts';
import { newTenant, PASSWORD, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

const BASE_URL = 'https://example.org/uptime';
const CONSOLE = '<!doctype html><html lang="en"><script type="module" src="/console/assets/main-1.js"></script></html>';

let dir: string;
let port: number;
let app: TestApp;
let tenant: Tenant;
/** A published page. */
let page: { id: string; subdomain: string };

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'farwatch-base-path-'));
  writeFileSync(join(dir, 'index.html'), CONSOLE);
  const file = { type: 'text/html; charset=utf-8', tag: 'tag', bytes: { identity: CONSOLE.length, gzip: 1, br: 1 } };
  writeFileSync(join(dir, 'files.json'), JSON.stringify({ 'index.html': file }));
  port = await freePort();
  const env = { PORT: String(port), BASE_URL: `${BASE_URL}/`, STATUS_PAGE_DOMAIN: 'pages.example' };
  const made = await makeApp({ consoleDir: dir, env });
  app = { ...made, client: new ApiClient(`http://127.0.0.1:${port}`, made.routes) };
  tenant = await newTenant(app);
  const pages = `/api/projects/${tenant.projectId}/status-pages`;
  const body = { name: 'Acme "=/x', subdomain: `p-${randomUUID()}` };
  page = (await tenant.writeKey.post(pages, body)).data.status_page;
  await tenant.writeKey.post(`${pages}/${page.id}/publish`);
});
afterAll(async () => {
  await app?.close();
  rmSync(dir, { recursive: true, force: true });
});

/** A request with any Host header. */
function get(host: string, path: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    request(`http://127.0.0.1:${port}${path}`, { headers: { host } }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    }).on('error', reject).end();
  });
}

describe.each([['keeps', '/uptime'], ['strips', '']])('behind a proxy that %s the path', (_what, prefix) => {
  const client = () => new ApiClient(`http://127.0.0.1:${port}${prefix}`, app.routes);

  test('health, metrics and the API respond', async () => {
    for (const path of ['/healthz', '/metrics', '/api/auth/registration']) {
      expect((await client().get(path)).status, path).toBe(200);
    }
    expect((await client().with({ 'x-api-key': tenant.readKeyText }).get('/api/monitors?limit=1')).status).toBe(200);
    expect((await client().get('/api/nothing')).body).toEqual({ error: 'Not Found', path: '/api/nothing' });
  });

  test.each(['/', '/monitors/1?x=1'])('%s is the console, with its assets below the path', async (path) => {
    const first = await fetch(`${client().url}${path}`);
    expect(await first.text()).toBe(CONSOLE
      .replace('<html', '<html data-base-path="/uptime"').replace('"/console', '"/uptime/console'));
    expect(first.headers.get('content-security-policy')).toContain("script-src 'self'");
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    expect((await fetch(`${client().url}${path}`, { headers })).status).toBe(304);
  });

  test('the session cookie is only for the path', async () => {
    const page = client().with({ 'x-farwatch-session': 'cookie', origin: 'https://example.org' });
    const { email } = tenant.owner;
    const { headers } = await page.post('/api/auth/login', { email, password: PASSWORD });
    const cookie = headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      /^__Secure-farwatch_session=[\w.-]{100,}; Path=\/uptime; HttpOnly; SameSite=Strict; Secure; Max-Age=\d+$/,
    );
    const signedIn = page.with({ cookie: cookie.split(';')[0] as string });
    expect((await signedIn.get('/api/auth/me')).data.user.email).toBe(email);
    expect((await signedIn.with({ origin: 'https://example.com' }).get('/api/auth/me')).code).toBe('MISSING_AUTH');
    expect((await signedIn.post('/api/auth/logout')).headers.get('set-cookie')).toMatch(
      /^__Secure-farwatch_session=; Path=\/uptime; .*Max-Age=0$/,
    );
  });

  test('the reference and the OpenAPI document refer to the path', async () => {
    const { text: html } = await client().get('/api/docs');
    const files = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path as string);
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) {
      expect(file).toMatch(/^\/uptime\/api\//);
      expect((await fetch(`${client().url}${file.slice('/uptime'.length)}`)).status, file).toBe(200);
    }
    expect((await client().get('/api/openapi.json')).body.servers).toEqual([{ url: '/uptime' }]);
  });

  test('public pages, feeds and embeds link below the path, cached or not', async () => {
    const path = `/status/${page.subdomain}`;
    for (let time = 0; time < 2; time += 1) {
      const { text: html } = await client().get(path);
      const links = [...html.matchAll(/ (?:href|src|action|data-events)="([^"#][^"]*)"/g)].map(([, link]) => link);
      expect(links.length).toBeGreaterThan(10);
      expect(links.filter((link) => !link?.startsWith('/uptime/status/'))).toEqual([]);
    }
    expect((await client().get(`${path}/embed`)).text).toContain(`href="/uptime${path}?lang=en"`);
    expect((await client().get(`${path}/feed.atom`)).text).toContain(`<id>${BASE_URL}${path}</id>`);
    expect((await client().get(`/api/public/status-pages/${page.subdomain}/badge.svg`)).status).toBe(200);
  });
});

test('over http, the cookie has the path without a prefix', () => {
  expect(new SessionCookie('http://example.org/up/time').setCookie('token', 1000)).toBe(
    'farwatch_session=token; Path=/up/time; HttpOnly; SameSite=Strict; Max-Age=1',
  );
});

test('a path that only begins alike is not below it', async () => {
  expect((await app.client.get('/uptimes/healthz')).status).toBe(404);
  expect((await get('example.org', '/uptime')).body).toContain('data-base-path');
  expect((await get('example.org', '/uptime?x=1')).body).toContain('data-base-path');
});

test('while the controller starts, health checks and cached pages are below the path, too', async () => {
  await app.client.get(`/status/${page.subdomain}`);
  await app.controller.statusPages.snapshotWrites.stop();
  const config = loadControllerConfig({
    DATA_DIR: app.dataDir, MONGODB_URL: app.mongoUrl, NATS_URL: 'nats://127.0.0.1:1', BASE_URL,
  });
  const find = openPublicPages({ config, clock: systemClock, log: createLog('test', 'silent') }).findAtStartup(() => BASE_URL);
  const server = createStartupServer({ clock: systemClock, trustProxy: 0, rateLimit: 100, find });
  const url = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
  try {
    for (const prefix of ['', '/uptime']) {
      expect((await fetch(`${url}${prefix}/healthz`)).status).toBe(200);
      const html = await (await fetch(`${url}${prefix}/status/${page.subdomain}`)).text();
      expect(html).toContain('href="/uptime/status/assets/');
    }
  } finally {
    await server.close();
  }
});

test('a page is at the root of its own host', async () => {
  const host = `${page.subdomain}.pages.example`;
  for (let time = 0; time < 2; time += 1) {
    const { status, body } = await get(host, '/');
    expect([status, body.includes('uptime/')]).toEqual([200, false]);
    const [style = ''] = /\/status\/assets\/[\w-]+\.css/.exec(body) ?? [];
    expect((await get(host, style)).status).toBe(200);
  }
  expect((await get(host, '/uptime')).status).toBe(404);
  expect((await get(host, '/uptime/healthz')).status).toBe(404);
});

test('links in mails are below the path, and so is what they open', async () => {
  const { email } = tenant.owner;
  await app.client.post('/api/auth/forgot-password', { email });
  const mail = await until(() => app.mailsTo(email).find(({ text: body }) => body.includes('reset-password')), { what: 'mail' });
  const link = linkIn(mail, '/uptime/reset-password');
  expect(link.origin).toBe('https://example.org');
  const { text: html } = await app.client.get('/reset-password');
  // Relative, so a browser resolves it below the path.
  expect(html).toContain('action="reset-password"');

  const reader = `${randomUUID()}@example.com`;
  await app.client.post(`/api/public/status-pages/${page.subdomain}/subscribers`, { email: reader });
  const confirmation = await until(() => app.mailsTo(reader)[0], { what: 'mail' });
  expect(linkIn(confirmation, `/uptime/status/${page.subdomain}/verify`).origin).toBe('https://example.org');
});

test('an incident is acknowledged below the path', async () => {
  const { organizationId: organization_id, projectId: project_id } = tenant;
  const monitor = monitorConfig({ organization_id, project_id });
  const incidentId = newId(Date.now());
  await app.controller.incidents.outbox.open({
    id: incidentId, monitor, severity: 'critical', type: 'timeout', error_message: 'No response', affected_regions: [],
    failure_count: 1, started_at: Date.now(),
  });
  const body = { name: 'Mail', type: 'email', config: { to: ['ops@example.com'] } };
  const { integration } = (await tenant.owner.client.post('/api/integrations', body)).data;
  const tokens = new AcknowledgeTokens(app.accounts.acknowledgeKeys);
  const token = tokens.issue({ incidentId, destinationId: integration.id, recipient: 'ops@example.com' });
  const client = new ApiClient(`http://127.0.0.1:${port}/uptime`, app.routes);
  const page = await client.get(`/acknowledge?token=${token}`);
  expect(page.text).toContain(`action="acknowledge?token=${token}"`);
  const done = await client.send('POST', `/acknowledge?token=${token}`);
  expect([done.status, done.text.includes('Incident acknowledged')]).toEqual([200, true]);
});

test('clients of the bus get an address below the path', async () => {
  const { data } = await tenant.owner.client.post('/api/subscriptions', { name: 'Archive' });
  expect(data.nats_url).toBe('wss://example.org/uptime/api/bus');
});
