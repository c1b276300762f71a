import { randomUUID } from 'node:crypto';
import { request, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';
import { startNameServer, type ReceivedQuery, type TestNameServer } from '../unit/probe/checks/dns/name-server.ts';
import { wireMessage, wireName, wireRecord, wireString } from '../unit/probe/checks/dns/wire.ts';

const [HOUR_MS, PAGE_DOMAIN] = [3_600_000, 'pages.example'];
const [CNAME, TXT, SERVFAIL, NXDOMAIN] = [5, 16, 0x8182, 0x8183];

let clock: SimulatedClock;
let dns: TestNameServer;
let app: TestApp;
let tenant: Tenant;
let outsider: Tenant;
/** DNS responses: the records of a name, or its failure. */
const zone = new Map<string, { cname?: string; txt?: string[] } | 'broken' | 'silent'>();

function respondFromZone({ id, section, name, type, send }: ReceivedQuery): void {
  const found = zone.get(name.toLowerCase());
  if (found === 'silent') return;
  const header = { id, question: section };
  if (found === 'broken') return send(wireMessage({ ...header, flags: SERVFAIL }));
  if (found === undefined) return send(wireMessage({ ...header, flags: NXDOMAIN }));
  const { cname, txt = [] } = found;
  send(wireMessage({ ...header, records: type === 'CNAME'
    ? (cname === undefined ? [] : [wireRecord({ type: CNAME, data: wireName(cname) })])
    : txt.map((one) => wireRecord({ type: TXT, data: wireString(one) })) }));
}

beforeAll(async () => {
  clock = new SimulatedClock(Date.UTC(2026, 5, 1, 12));
  dns = await startNameServer(respondFromZone);
  const env = { STATUS_PAGE_DOMAIN: PAGE_DOMAIN, STATUS_PAGE_DNS_SERVERS: `127.0.0.1:${dns.port}` };
  app = await makeApp({ clock, env });
  [tenant, outsider] = [await newTenant(app), await newTenant(app)];
});
afterAll(async () => {
  await app.close();
  await dns.close();
});
beforeEach(() => zone.clear());

interface Page {
  id: string;
  subdomain: string;
  path: string;
  of: Tenant;
}

async function publish(custom_domain: string | null, of = tenant): Promise<Page> {
  const pages = `/api/projects/${of.projectId}/status-pages`;
  const subdomain = `page-${randomUUID()}`;
  const created = await of.writeKey.post(pages, { name: `Status of ${subdomain}`, subdomain, custom_domain });
  const { id } = created.data.status_page;
  await of.writeKey.post(`${pages}/${id}/publish`);
  return { id, subdomain, path: `${pages}/${id}`, of };
}

const verify = (page: Page) => page.of.writeKey.post(`${page.path}/custom-domain/verify`);
const isVerified = async ({ path, of }: Page): Promise<boolean> =>
  (await of.writeKey.with({ 'x-project-id': of.projectId }).get(path)).data.status_page.custom_domain_verified;
const newDomain = () => `status.${randomUUID()}.example`;
const proof = (page: Page, domain: string) => zone.set(`_farwatch.${domain}`, { txt: [`farwatch-page=${page.id}`] });

/** A request with any Host header, which `fetch` cannot send. */
function at(host: string, path = '/', headers: IncomingHttpHeaders = {}, method = 'GET') {
  return new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const sent = request(app.url + path, { method, headers: { ...headers, host } }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    });
    sent.on('error', reject).end();
  });
}

test('a domain is verified by a CNAME to the page or by a TXT record, and then serves the page', async () => {
  for (const by of ['CNAME', 'TXT']) {
    const domain = newDomain();
    const page = await publish(domain);
    const missing = (await verify(page)).data;
    expect(missing.status_page.custom_domain_verified).toBe(false);
    expect(missing.verification).toEqual({
      is_verified: false, problem: expect.stringContaining('DNS has none of these records') as string,
      records: [
        { type: 'CNAME', name: domain, value: `${page.subdomain}.${PAGE_DOMAIN}` },
        { type: 'TXT', name: `_farwatch.${domain}`, value: `farwatch-page=${page.id}` },
      ],
    });
    expect((await at(domain)).body).not.toContain(page.subdomain);
    if (by === 'TXT') zone.set(`_farwatch.${domain}`, { txt: ['v=spf1', `farwatch-page=${page.id}`] });
    else zone.set(domain, { cname: `${page.subdomain}.Pages.Example` });
    const found = (await verify(page)).data;
    expect(found.verification).toMatchObject({ is_verified: true, problem: null });
    expect(found.status_page).toMatchObject({ custom_domain_verified: true, ssl_certificate_status: 'active' });
    expect(await isVerified(page)).toBe(true);
    for (const host of [domain, `${domain.toUpperCase()}:8443`, `${domain}.`]) {
      const shown = await at(host);
      expect([shown.status, shown.body.includes(`Status of ${page.subdomain}`)], host).toEqual([200, true]);
    }
  }
});

test('records that are missing or name another page verify nothing', async () => {
  const domain = newDomain();
  const [page, other] = [await publish(domain), await publish(null)];
  zone.set(domain, { cname: `${other.subdomain}.${PAGE_DOMAIN}` });
  zone.set(`_farwatch.${domain}`, { txt: [`farwatch-page=${other.id}`, `xfarwatch-page=${page.id}`] });
  expect((await verify(page)).data.verification.is_verified).toBe(false);
  for (const failure of ['broken', 'silent'] as const) {
    for (const name of [domain, `_farwatch.${domain}`]) zone.set(name, failure);
    const { verification } = (await verify(page)).data;
    expect(verification).toMatchObject({ is_verified: false });
    expect(verification.problem).toMatch(/did not return CNAME/);
  }
  expect((await verify(other)).code).toBe('VALIDATION_ERROR');
  for (const own of [PAGE_DOMAIN, `x.${PAGE_DOMAIN}`]) {
    const thief = await publish(own, outsider);
    zone.set(own, { cname: `${thief.subdomain}.${PAGE_DOMAIN}` });
    proof(thief, own);
    expect((await verify(thief)).data.verification.problem).toBe('This domain belongs to this installation');
  }
});

test('an organization that verifies nonstop does not block others', async () => {
  const [slow, fast] = [newDomain(), newDomain()];
  const [greedy, modest] = [await publish(slow), await publish(fast, outsider)];
  for (const name of [slow, `_farwatch.${slow}`]) zone.set(name, 'silent');
  proof(modest, fast);
  const problems: string[] = [];
  const flood = Array.from({ length: 60 }, async () => problems.push((await verify(greedy)).data.verification.problem));
  await until(() => problems.includes('Too many names are being looked up'), { what: 'some verifications are refused' });
  expect((await verify(modest)).data.verification).toMatchObject({ is_verified: true, problem: null });
  for (const name of [slow, `_farwatch.${slow}`]) zone.set(name, 'broken');
  await Promise.all(flood);
});

test('two pages never share a domain: the one that DNS names has it', async () => {
  const domain = newDomain();
  const [page, rival] = [await publish(domain), await publish(domain, outsider)];
  proof(page, domain);
  await verify(page);
  zone.set(domain, { cname: `${rival.subdomain}.${PAGE_DOMAIN}` });
  expect((await verify(rival)).code).toBe('CONFLICT');
  expect([await isVerified(page), await isVerified(rival)]).toEqual([true, false]);
  zone.delete(`_farwatch.${domain}`);
  expect((await verify(rival)).status).toBe(200);
  expect([await isVerified(page), await isVerified(rival)]).toEqual([false, true]);
  expect((await at(domain)).body).toContain(rival.subdomain);
});

test('a page that changes its domain or is deleted releases it at once', async () => {
  const leave: ((page: Page) => Promise<unknown>)[] = [
    ({ path, of }) => of.writeKey.patch(path, { custom_domain: null }),
    ({ path, of }) => of.writeKey.patch(path, { custom_domain: newDomain() }),
    ({ path, of }) => of.writeKey.with({ 'x-project-id': of.projectId }).delete(path),
  ];
  for (const go of leave) {
    const domain = newDomain();
    const page = await publish(domain);
    proof(page, domain);
    await verify(page);
    expect((await at(domain)).status).toBe(200);
    await go(page);
    expect((await at(domain)).body).not.toContain(page.subdomain);
    expect(await app.db.collection('status_page_domains').countDocuments({ page_id: page.id })).toBe(0);
    const back = { custom_domain: domain };
    const { data } = await page.of.writeKey.patch(page.path, back);
    if (data !== undefined) expect((data as Loose).status_page.custom_domain_verified).toBe(false);
  }
});

test('DNS is queried again: a domain survives three days of name server failures, then its owners are notified', async () => {
  const domain = newDomain();
  const page = await publish(domain);
  proof(page, domain);
  await verify(page);
  const recheck = async (afterMs: number) => {
    await clock.advance(afterMs);
    await app.controller.statusPages.domainChecks.run();
  };
  await recheck(7 * HOUR_MS);
  zone.set(`_farwatch.${domain}`, 'broken');
  await recheck(7 * HOUR_MS);
  await recheck(71 * HOUR_MS);
  expect(await isVerified(page)).toBe(true);
  proof(page, domain);
  await recheck(2 * HOUR_MS);
  zone.delete(`_farwatch.${domain}`);
  for (const hours of [7, 71]) await recheck(hours * HOUR_MS);
  expect(await isVerified(page)).toBe(true);
  await recheck(2 * HOUR_MS);
  expect(await isVerified(page)).toBe(false);
  expect((await at(domain)).body).not.toContain(page.subdomain);
  const mails = () => app.mailsTo(tenant.owner.email).filter(({ text: body }) => body.includes(domain));
  await until(() => mails().length === 1);
  expect(mails()[0]?.text).toContain('DNS has none of these records');
});

test('the host of a page serves only that page', async () => {
  const [page, other] = [await publish(null), await publish(null)];
  const host = `${page.subdomain}.${PAGE_DOMAIN}`;
  for (const path of ['/', '/?a=b', `/status/${page.subdomain}`, `/api/public/status-pages/${page.subdomain}`]) {
    expect((await at(host, path)).status, path).toBe(200);
  }
  for (const path of [
    `/status/${other.subdomain}`, `/api/public/status-pages/${other.subdomain}`, '/api/monitors', '/healthz',
    '/metrics', '/api/docs', '/api/auth/me', '/%61pi/monitors', '//api/monitors', '/../api/monitors',
    `/status/${page.subdomain}/../${other.subdomain}`, 'http://app.farwatch.example/healthz',
  ]) {
    expect((await at(host, path.startsWith('/') ? path : `/${path}`, { 'x-api-key': tenant.writeKeyText })).status, path).toBe(404);
  }
  expect((await at(host, '/api/auth/login', {}, 'POST')).status).toBe(404);
  expect((await at(`nobody.${PAGE_DOMAIN}`)).status).toBe(404);
  for (const hostName of ['app.farwatch.example', '127.0.0.1', 'unknown.example', PAGE_DOMAIN, '', 'a b', '[::1]:3000']) {
    const { status, body } = await at(hostName, '/healthz');
    if (hostName !== 'a b') expect([status, hostName, body.includes(page.subdomain)]).toEqual([200, hostName, false]);
  }
});
