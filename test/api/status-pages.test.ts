import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProjectContext } from '../../controller/http/routing/route.ts';
import type { PageDeps } from '../../controller/status-pages/deps.ts';
import { FreedSubdomainStore } from '../../controller/status-pages/freed-subdomain-store.ts';
import { createPage as writePage } from '../../controller/status-pages/verbs/write-page.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { startMongoProxy } from '../helpers/fault-proxy.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

const DAY_MS = 86_400_000;

let app: TestApp;
let tenant: Tenant;
let other: Tenant;
let client: ApiClient;
let path: string;

beforeAll(async () => {
  app = await makeApp();
  [tenant, other] = [await newTenant(app), await newTenant(app)];
  client = tenant.owner.client.with({ 'x-project-id': tenant.projectId });
  path = `/api/projects/${tenant.projectId}/status-pages`;
});
afterAll(() => app.close());

const newSubdomain = () => `page-${randomUUID()}`;

async function createPage(body: object = {}): Promise<Loose> {
  const response = await client.post(path, { name: 'Acme', subdomain: newSubdomain(), ...body });
  expect(response.status, response.text).toBe(201);
  return response.data.status_page;
}

async function createMonitor(name: string, by: ApiClient = client): Promise<string> {
  const body = { name, type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
  return (await by.post('/api/monitors', body)).data.monitor.id;
}

test('a new page is a draft with the defaults of the API', async () => {
  const subdomain = newSubdomain();
  const page = await createPage({ subdomain });
  expect(page).toEqual({
    id: expect.any(String) as string, organization_id: tenant.organizationId, project_id: tenant.projectId,
    name: 'Acme', description: null, subdomain, status: 'draft', is_public: false, color_scheme: 'system',
    logo_url: null, favicon_url: null, custom_css: null, component_display_order: 'custom',
    show_uptime_percentage: true, show_response_time: true, timezone: 'UTC', allow_search_indexing: true,
    uptime_timeframes: ['24h', '7d', '30d', '90d'], uptime_thresholds: { operational: 99.9, degraded: 95 },
    incident_history_days: 7, maintenance_affects_uptime: false, google_analytics_id: null,
    custom_domain: null, custom_domain_verified: false, ssl_enabled: false, ssl_certificate_status: null,
    auto_publish_enabled: true, auto_publish_severities: ['critical', 'major'], subscriber_count: 0,
    monitor_count: 0, page_views_24h: 0, page_views_7d: 0, page_views_30d: 0, last_published_at: null,
    created_by: null, managed_by: null, created_at: expect.any(Number) as number, updated_at: page.created_at,
  });
  expect((await client.get(`${path}/${page.id}`)).data.status_page).toEqual(page);
  expect((await client.get(path)).data.status_pages).toContainEqual(page);
});

test('every settable field is read back as sent, and a read can be sent back', async () => {
  const sent = {
    description: 'Two\nlines', show_uptime_percentage: false, show_response_time: false,
    timezone: 'Europe/Berlin', allow_search_indexing: false, uptime_timeframes: ['90d'],
    uptime_thresholds: { operational: 99.5, degraded: 90 }, incident_history_days: 365,
    maintenance_affects_uptime: true, google_analytics_id: 'G-AB12CD34', custom_domain: 'status.acme.example',
    auto_publish_enabled: false, auto_publish_severities: ['minor'],
  };
  const page = await createPage(sent);
  expect(page).toMatchObject(sent);
  for (const method of ['PUT', 'PATCH']) {
    const resent = await client.send(method, `${path}/${page.id}`, { body: page });
    expect(resent.status, resent.text).toBe(200);
    expect(resent.data.status_page).toEqual({ ...page, updated_at: resent.data.status_page.updated_at });
  }
  const cleared = await client.patch(`${path}/${page.id}`, { description: null, custom_domain: null });
  expect(cleared.data.status_page).toMatchObject({ name: 'Acme', description: null, custom_domain: null });
});

test.each<[string, unknown]>([
  ['name', ''], ['name', 'a\nb'], ['name', 'x'.repeat(101)], ['subdomain', 'ab'], ['subdomain', 'Acme'],
  ['subdomain', '-acme'], ['subdomain', 'a.b'], ['subdomain', '169.254.169.254/#'], ['subdomain', 'xn--80ak6aa92e'],
  ['timezone', 'Berlin'], ['timezone', '+01:00'], ['uptime_timeframes', ['1h']],
  ['uptime_thresholds', { operational: 90, degraded: 95 }], ['incident_history_days', 0],
  ['incident_history_days', 366], ['google_analytics_id', "G-1';alert(1)//"], ['custom_domain', 'localhost'],
  ['custom_domain', '10.0.0.1'], ['custom_domain', 'user@a.example'], ['custom_domain', 'a.example/path'],
  ['auto_publish_severities', ['bad']], ['logo_url', 'http://a.example/x.png'], ['logo_url', 'javascript:alert(1)'],
  ['logo_url', 'https://u:p@a.example/'], ['color_scheme', 'pink'], ['is_secret', true],
  ['branding', { primaryColor: 'red' }], ['description', 'a\u0007b'],
])('a page rejects %s %j', async (field, value) => {
  const response = await client.post(path, { name: 'Acme', subdomain: newSubdomain(), [field]: value });
  expect([response.status, response.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(response.text).toContain(field);
});

test('a subdomain is taken once, cannot change, and stays with the organization after deletion', async () => {
  const subdomain = newSubdomain();
  const page = await createPage({ subdomain });
  const theirs = `/api/projects/${other.projectId}/status-pages`;
  const body = { name: 'Other', subdomain };
  const taken = await other.writeKey.post(theirs, body);
  expect([taken.status, taken.code]).toEqual([409, 'SLUG_ALREADY_TAKEN']);
  expect((await client.patch(`${path}/${page.id}`, { subdomain: newSubdomain() })).code).toBe('VALIDATION_ERROR');
  const deleted = await client.delete(`${path}/${page.id}`);
  expect(deleted.data).toEqual({ message: 'Status page deleted successfully' });
  expect((await client.delete(`${path}/${page.id}`)).code).toBe('RESOURCE_NOT_FOUND');
  const refused = await other.writeKey.post(theirs, body);
  expect([refused.status, refused.code]).toEqual([409, 'SLUG_ALREADY_TAKEN']);
  const imported = await other.writeKey.post('/api/import?dry_run=true', { status_pages: [body] });
  expect([imported.status, imported.code]).toEqual([409, 'SLUG_ALREADY_TAKEN']);
  expect((await other.owner.client.get('/api/billing')).data.usage.status_pages).toBe(0);
  await createPage({ subdomain });
});

test('a freed subdomain stays reserved for 30 days, even across a restart', async () => {
  const subdomain = newSubdomain();
  const { id } = await createPage({ subdomain });
  const deletedAt = Date.now();
  await client.delete(`${path}/${id}`);
  const clock = new SimulatedClock(deletedAt + 29 * DAY_MS);
  const later = await makeApp({ mongoUrl: app.mongoUrl, clock });
  // Their sessions have expired by then; keys do not expire.
  const take = () => later.client.with({ 'x-api-key': other.writeKeyText })
    .post(`/api/projects/${other.projectId}/status-pages`, { name: 'Other', subdomain });
  expect((await take()).code).toBe('SLUG_ALREADY_TAKEN');
  await clock.advance(DAY_MS + 60_000);
  expect((await take()).status).toBe(201);
  await later.close();
});

test('no other organization gets a subdomain whose page is deleted during its own creation request', async () => {
  const subdomain = newSubdomain();
  const { id } = await createPage({ subdomain });
  const reservations = new FreedSubdomainStore(app.db);
  let checks = 0;
  const deps = {
    pages: app.controller.stores.pages, quota: app.accounts.quota,
    freed: {
      reservedForOthers: async (...args: Parameters<FreedSubdomainStore['reservedForOthers']>) => {
        const reserved = await reservations.reservedForOthers(...args);
        checks += 1;
        if (checks === 1) expect((await client.delete(`${path}/${id}`)).status).toBe(200);
        return reserved;
      },
      isReservedFor: (...args: Parameters<FreedSubdomainStore['isReservedFor']>) =>
        reservations.isReservedFor(...args),
    },
  } as unknown as PageDeps;
  const ctx = { tenant: other, now: Date.now() } as unknown as ProjectContext;
  await expect(writePage(deps, ctx, { name: 'Other', subdomain })).rejects.toThrow('This subdomain is taken');
  expect(checks).toBe(2);
  await createPage({ subdomain });
});

test('a crash before the second check of the subdomain gives it to no other organization', async () => {
  const subdomain = newSubdomain();
  const { id } = await createPage({ subdomain });
  const proxy = await startMongoProxy(app.mongoUrl);
  let [isHeld, isInserted] = [false, false];
  const dying = await makeApp({
    mongoUrl: proxy.url,
    onCommand: ({ update, insert, find }) => {
      // Between the first check and the page, the connection is slow; before the second check, it breaks.
      if (!isHeld && update === 'usage') {
        isHeld = true;
        proxy.drop('out');
      }
      if (insert === 'status_pages') isInserted = true;
      if (isInserted && find === 'freed_subdomains') proxy.reset();
    },
  });
  const theirs = `/api/projects/${other.projectId}/status-pages`;
  const creation = dying.client.with({ 'x-api-key': other.writeKeyText }).post(theirs, { name: 'Other', subdomain });
  await until(() => isHeld, { what: 'the write of the page' });
  expect((await client.delete(`${path}/${id}`)).status).toBe(200);
  proxy.heal();
  expect((await creation).status).toBeGreaterThanOrEqual(500);
  const reader = other.readKey.with({ 'x-project-id': other.projectId });
  const page = ((await reader.get(theirs)).data.status_pages as Loose[]).find((one) => one.subdomain === subdomain);
  expect(page).toMatchObject({ status: 'draft' });
  expect((await other.writeKey.post(`${theirs}/${page?.id}/publish`)).code).toBe('SLUG_ALREADY_TAKEN');
  const { id: recreated } = await createPage({ subdomain });
  expect((await client.post(`${path}/${recreated}/publish`)).status).toBe(200);
  expect((await reader.get(`${theirs}/${page?.id}`)).code).toBe('RESOURCE_NOT_FOUND');
  await dying.close();
  await proxy.close();
});

test('simultaneous deletions and creations never pass a subdomain to another organization', async () => {
  const subdomain = newSubdomain();
  const theirs = `/api/projects/${other.projectId}/status-pages`;
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const { id } = await createPage({ subdomain });
    const [deleted, ...others] = await Promise.all([
      client.delete(`${path}/${id}`),
      ...Array.from({ length: 5 }, () => other.writeKey.post(theirs, { name: 'Other', subdomain })),
    ]);
    expect(deleted.status).toBe(200);
    expect(others.map(({ code }) => code)).toEqual(Array(5).fill('SLUG_ALREADY_TAKEN'));
  }
});

test('exactly one of a hundred simultaneous creations with the same subdomain succeeds', async () => {
  const body = { name: 'Race', subdomain: newSubdomain() };
  // A slow machine may not manage all of them at once.
  const create = async () => until(async () => {
    const response = await client.post(path, body);
    return response.status !== 503 && response;
  }, { what: 'a response' });
  const responses = await Promise.all(Array.from({ length: 100 }, create));
  expect(responses.filter(({ code }) => code !== 'SLUG_ALREADY_TAKEN').length).toBeLessThanOrEqual(1);
  const { status_pages: all } = (await client.get(path)).data as { status_pages: { subdomain: string }[] };
  expect(all.filter(({ subdomain }) => subdomain === body.subdomain)).toHaveLength(1);
  const pages = all.length;
  const usage = await app.db.collection<{ _id: string; status_pages: number }>('usage')
    .findOne({ _id: tenant.organizationId });
  expect(usage?.status_pages).toBe(pages);
});

test('a draft can be previewed only by callers who may read it, in their language', async () => {
  const page = await createPage({ name: 'Acme <b>', branding: { customCss: 'h1 { color: red; font-family: "</template><b>" }' } });
  const monitor = await createMonitor('Shop');
  await client.put(`${path}/${page.id}/monitors`, { monitors: [{ monitor_id: monitor, display_name: 'Laden' }] });
  const preview = await client.get(`${path}/${page.id}/preview?lang=de`);
  expect(preview.status).toBe(200);
  expect(preview.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(preview.headers.get('cache-control')).toBe('no-store');
  expect(preview.text).toContain('<html lang="de"');
  expect(preview.text).toContain('Acme &#');
  expect(preview.text).not.toContain('<b>');
  expect(preview.text).toContain('Laden');
  // No script, and the style as text, because only a published page's style has a URL.
  expect(preview.text).not.toContain('<script');
  expect(preview.text).not.toContain('style.css?v=');
  expect(preview.text).toMatch(/<template id="own-style">\.page h1\s*{color:red;[^<]*<\/template>/);
  expect((await app.client.get(`/status/${page.subdomain}`)).status).toBe(404);
  const theirs = `/api/projects/${other.projectId}/status-pages/${page.id}/preview`;
  expect((await other.owner.client.get(theirs)).status).toBe(404);
  await client.post(`${path}/${page.id}/publish`);
  expect((await app.client.get(`/status/${page.subdomain}`)).text).toContain(`/status/${page.subdomain}/style.css?v=`);
});

test('a page can be published and unpublished; the time of its first publication stays', async () => {
  const page = await createPage();
  const move = async (verb: string) => (await client.post(`${path}/${page.id}/${verb}`)).data.status_page;
  const published = await move('publish');
  expect(published).toMatchObject({ status: 'published', is_public: true });
  expect(published.last_published_at).toBeGreaterThanOrEqual(page.created_at);
  expect(await move('publish')).toEqual(published);
  expect(await move('unpublish')).toMatchObject({ status: 'draft', is_public: false });
  expect(await move('archive')).toMatchObject({ status: 'archived', is_public: false });
  expect(await move('publish')).toMatchObject({
    status: 'published', last_published_at: published.last_published_at,
  });
});

describe('branding', () => {
  test('is one document; the page also returns parts of it under other names', async () => {
    const page = await createPage({ color_scheme: 'dark', branding: { primaryColor: '#1a7F37' } });
    expect(page).toMatchObject({
      color_scheme: 'dark', branding: { defaultTheme: 'dark', primaryColor: '#1a7F37' },
    });
    const own = `${path}/${page.id}/branding`;
    const sent = {
      logoUrl: 'https://cdn.acme.example/logo.svg', faviconUrl: 'https://cdn.acme.example/i.ico',
      customCss: 'h1 { color: red }', headerText: 'Hello', footerText: 'Bye', defaultTheme: null,
    };
    const { defaultTheme: _removed, ...remaining } = sent;
    const changed = await client.put(own, sent);
    expect(changed.data.branding).toEqual({ primaryColor: '#1a7F37', ...remaining });
    expect((await client.get(own)).data).toEqual(changed.data);
    expect((await client.get(`${path}/${page.id}`)).data.status_page).toMatchObject({
      color_scheme: 'system', logo_url: sent.logoUrl, favicon_url: sent.faviconUrl, custom_css: sent.customCss,
      branding: changed.data.branding,
    });
  });

  test('accepts images only from hosts that are valid in the page\'s policy', async () => {
    const page = await createPage();
    for (const host of ['a.example;script-src', 'a.example,default-src', 'a%3Bb.example', 'a；b.example', '*']) {
      for (const body of [{ logoUrl: `https://${host}/1.png` }, { faviconUrl: `https://${host}` }]) {
        const refused = await client.put(`${path}/${page.id}/branding`, body);
        expect([refused.status, refused.code], host).toEqual([400, 'VALIDATION_ERROR']);
        expect(refused.error.details[0].message, host).toBe('The host must not contain ; or , or other punctuation');
      }
    }
    expect((await client.put(`${path}/${page.id}`, { logo_url: 'https://a.example;x/' })).code).toBe('VALIDATION_ERROR');
    for (const logoUrl of ['https://a_b.example:8443/a;b,c.png?d;e', 'https://münchen.example/', 'https://[2001:db8::1]/']) {
      expect((await client.put(`${path}/${page.id}/branding`, { logoUrl })).status, logoUrl).toBe(200);
    }
  });

  test('that is sent back with one name changed takes the changed value', async () => {
    const page = await createPage({ logo_url: 'https://a.example/1.png' });
    const send = async (change: object) => (await client.put(`${path}/${page.id}`, { ...page, ...change })).data;
    const second = 'https://a.example/2.png';
    expect((await send({ logo_url: second })).status_page.branding.logoUrl).toBe(second);
    expect((await send({ branding: { logoUrl: 'https://a.example/3.png' } })).status_page.logo_url).toBe(
      'https://a.example/3.png',
    );
    expect((await send({ logo_url: null, branding: { logoUrl: 'https://a.example/3.png' } })).status_page.logo_url)
      .toBeNull();
  });
});

describe('monitors of a page', () => {
  test('are listed in their order, with the state of each', async () => {
    const page = await createPage();
    const [one, two] = [await createMonitor('One'), await createMonitor('Two')];
    const put = await client.put(`${path}/${page.id}/monitors`, { monitors: [
      { monitor_id: one, display_name: 'Shop', group_name: 'Web', display_order: 5 },
      { monitor_id: two, is_visible: false },
    ] });
    expect(put.status, put.text).toBe(200);
    const common = {
      status_page_id: page.id, show_uptime: true, show_response_time: true,
      monitor_url: 'https://shop.example/', monitor_status: 'unknown', current_uptime: 0,
      average_response_time: 0, created_at: expect.any(Number) as number,
    };
    expect(put.data.status_page).toMatchObject({ uptime_percentage: 0, monitor_count: 0, monitors: [
      { ...common, id: two, monitor_id: two, display_name: null, group_name: null, display_order: 1,
        is_visible: false, monitor_name: 'Two' },
      { ...common, id: one, monitor_id: one, display_name: 'Shop', group_name: 'Web', display_order: 5,
        is_visible: true, monitor_name: 'One' },
    ] });
    const listed = (await client.get(path)).data.status_pages.find(({ id }: Loose) => id === page.id);
    expect(listed.monitor_count).toBe(2);
    app.owners.live.set(one, {
      status: 'up', since: 0, last_check_at: 1, last_success_at: 1, last_failure_at: null, open_incident: null, regions: [], in_maintenance: false,
    });
    app.owners.figures.set(one, { uptime_percentage: 99.25, avg_response_time: 10, total_checks: 9, failed_checks: 0 });
    const page24h = (await client.get(`${path}/${page.id}`)).data.status_page;
    expect(page24h.monitors.map(({ current_uptime: uptime }: Loose) => uptime)).toEqual([0, 99.25]);
    expect(page24h.uptime_percentage, 'without the monitor that has no data').toBe(99.3);
    app.owners.figures.delete(one);
    app.owners.live.delete(one);
    const repeated = await client.put(`${path}/${page.id}/monitors`, { monitors: put.data.status_page.monitors });
    expect(repeated.data.status_page.monitors).toEqual(put.data.status_page.monitors);
    await client.delete(`/api/monitors/${one}`);
    const left = (await client.get(`${path}/${page.id}`)).data.status_page.monitors;
    expect(left.map((monitor: Loose) => monitor.id)).toEqual([two]);
    expect((await client.put(`${path}/${page.id}/monitors`, { monitors: [] })).data.status_page)
      .not.toHaveProperty('monitors');
  });

  test('must belong to its project, and are listed once', async () => {
    const page = await createPage();
    const own = await createMonitor('Own');
    const foreign = await createMonitor('Foreign', other.writeKey);
    for (const id of [foreign, randomUUID()]) {
      const response = await client.put(`${path}/${page.id}/monitors`, { monitors: [
        { monitor_id: own }, { monitor_id: id },
      ] });
      expect([response.status, response.error?.details]).toEqual([400, [
        { code: 'custom', path: ['monitors', 1, 'monitor_id'], message: 'Unknown monitor' },
      ]]);
    }
    const twice = await client.put(
      `${path}/${page.id}/monitors`, { monitors: [{ monitor_id: own }, { monitor_id: own }] },
    );
    expect(twice.code).toBe('VALIDATION_ERROR');
    expect((await client.get(`${path}/${page.id}`)).data.status_page).not.toHaveProperty('monitors');
  });
});

describe('an inaccessible page', () => {
  test('of another project is refused; of another organization is unknown', async () => {
    const page = await createPage();
    const second = (await client.post('/api/projects', { name: 'Second' })).data.project.id;
    const otherProjectClient = client.with({ 'x-project-id': second });
    const wrongPath = `/api/projects/${second}/status-pages/${page.id}`;
    const post = { title: 'T', message: 'M', severity: 'minor', affected_monitor_ids: [randomUUID()] };
    const [update, one] = [{ status: 'resolved', message: 'M' }, `/incidents/${randomUUID()}`];
    const requests: [method: string, end: string, body?: object][] = [
      ['GET', ''], ['DELETE', ''], ['PATCH', '', {}], ['PUT', '', {}], ['GET', '/branding'], ['PUT', '/branding', {}],
      ['PUT', '/monitors', { monitors: [] }], ['POST', '/publish'], ['POST', '/unpublish'], ['POST', '/archive'],
      ['POST', '/custom-domain/verify'], ['GET', '/incidents'], ['POST', '/incidents', post], ['GET', one],
      ['PATCH', one, {}], ['DELETE', one], ['POST', `${one}/updates`, update], ['POST', `${one}/resolve`],
    ];
    for (const [method, end, body] of requests) {
      const response = await otherProjectClient.send(method, `${wrongPath}${end}`, { body });
      expect([response.status, response.code], `${method} ${end}`).toEqual([403, 'ACCESS_DENIED']);
    }
    const theirs = other.writeKey.with({ 'x-project-id': other.projectId });
    const [foreign, unknown] = await Promise.all([page.id, randomUUID()].map(
      (id) => theirs.get(`/api/projects/${other.projectId}/status-pages/${id}`),
    ));
    expect(foreign?.code).toBe('RESOURCE_NOT_FOUND');
    expect(foreign?.error).toEqual(unknown?.error);
    expect(foreign?.error?.message).toBe('Status page not found');
  });

  test('keeps its project from being deleted', async () => {
    const second = (await client.post('/api/projects', { name: 'Kept' })).data.project.id;
    const otherProjectClient = client.with({ 'x-project-id': second });
    const own = `/api/projects/${second}/status-pages`;
    const { id } = (await otherProjectClient.post(own, { name: 'P', subdomain: newSubdomain() })).data.status_page;
    const refused = await client.delete(`/api/projects/${second}`);
    expect([refused.code, refused.error?.message]).toEqual([
      'CONFLICT', 'The project still has status pages; delete or move them first',
    ]);
    await otherProjectClient.delete(`${own}/${id}`);
    expect((await client.delete(`/api/projects/${second}`)).status).toBe(200);
  });
});

test('plans limit the number of pages and allow custom domains', async () => {
  const limited = await makeApp({ env: { DEFAULT_PLAN: 'free' } });
  const small = await newTenant(limited);
  const own = `/api/projects/${small.projectId}/status-pages`;
  const body = { name: 'P', subdomain: newSubdomain() };
  const domain = await small.writeKey.post(own, { ...body, custom_domain: 'status.acme.example' });
  expect([domain.code, domain.error?.details]).toEqual(['INSUFFICIENT_PLAN', { required_plan: 'pro' }]);
  const all = await Promise.all(Array.from(
    { length: 100 }, () => small.writeKey.post(own, { ...body, subdomain: newSubdomain() }),
  ));
  const refused = all.filter(({ status }) => status !== 201);
  expect(refused).toHaveLength(99);
  for (const { status, code, error } of refused) {
    expect([status, code, error?.details]).toEqual([403, 'PLAN_LIMIT_EXCEEDED', { limit: 1, usage: 1 }]);
  }
  const made = all.find(({ status }) => status === 201)?.data.status_page.id;
  await small.writeKey.with({ 'x-project-id': small.projectId }).delete(`${own}/${made}`);
  expect((await small.writeKey.post(own, { ...body, subdomain: newSubdomain() })).status).toBe(201);
  await limited.close();
});
