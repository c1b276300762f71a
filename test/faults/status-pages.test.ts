import { readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterEach, expect } from 'vitest';
import type { PageDomainDoc } from '../../controller/status-pages/domains/page-domain.ts';
import type { PageDoc } from '../../controller/status-pages/page.ts';
import { storeUrl } from '../helpers/ledger.ts';
import { withDatabase } from '../helpers/mongo.ts';
import { until } from '../helpers/until.ts';
import { longFault } from './fault.ts';
import { Load } from './load.ts';
import { Parts } from './parts.ts';
import { toOutcome } from './tally.ts';

interface Shown {
  name: string;
  as_of: string;
  is_current: boolean;
  components: { status: string }[];
}

let load: Load<Parts>;
afterEach(() => load?.stop());

const textOf = (path: string) => fetch(load.farwatch.url + path, { headers: { 'accept-language': 'en' } });

/** The status of the root page with a Host header that `fetch` would not send. */
function statusAt(host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(load.farwatch.url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
}

/** A page as it is served; null unless the status is 200. */
async function shown(subdomain: string): Promise<Shown | null> {
  const response = await textOf(`/api/public/status-pages/${subdomain}`).catch(() => null);
  if (response?.status !== 200) return null;
  return ((await response.json()) as { data: { status_page: Shown } }).data.status_page;
}

/** The page on the controller's disk; null without any. */
async function snapshotOf(subdomain: string): Promise<Shown | null> {
  const file = join(load.farwatch.controller.env['DATA_DIR'] ?? '', 'status-pages', `${subdomain}.json`);
  return readFile(file, 'utf8').then((text) => (JSON.parse(text) as { view: Shown }).view, () => null);
}

/** Publishes a page with this name and a post; returns the paths below it. */
async function publish(subdomain: string, monitorId: string): Promise<string[]> {
  const { session } = load;
  const { projects } = await session.ok<{ projects: { id: string }[] }>('GET', '/api/projects');
  const pages = `/api/projects/${projects[0]?.id}/status-pages`;
  const { status_page: { id } } =
    await session.ok<{ status_page: { id: string } }>(
      'POST', pages, { name: subdomain, subdomain, branding: { primaryColor: '#1a7f37' } },
    );
  await session.ok('PUT', `${pages}/${id}/monitors`, { monitors: [{ monitor_id: monitorId }] });
  await session.ok('POST', `${pages}/${id}/publish`);
  const { incident } = await session.ok<{ incident: { id: string } }>('POST', `${pages}/${id}/incidents`, {
    title: 'Slow', message: 'We look into it.', severity: 'minor', affected_monitor_ids: [monitorId],
  });
  return [
    'feed.atom', 'feed.rss', 'feed.json', 'embed', 'style.css', `components/${monitorId}`, `incidents/${incident.id}`,
  ];
}

/** Marks the domain as verified. */
async function giveDomain(subdomain: string, domain: string): Promise<void> {
  const mongo = await MongoClient.connect(withDatabase(storeUrl(load.farwatch.database.log), 'farwatch'));
  const change = { $set: { custom_domain: domain, verified_domain: domain } };
  const page = await mongo.db().collection<PageDoc>('status_pages').findOneAndUpdate({ subdomain }, change);
  if (page === null) throw new Error(`there is no page ${subdomain}`);
  const { _id: page_id, organization_id, project_id } = page;
  await mongo.db().collection<PageDomainDoc>('status_page_domains').insertOne({
    _id: domain, page_id, organization_id, project_id, subdomain, due_at: Date.now() + 3_600_000, failing_since: null,
  });
  await mongo.close();
}

/** Readers get the last known page, marked as not current, and never anything else. */
async function staysReadable(subdomain: string, asOf: string): Promise<void> {
  await until(async () => (await shown(subdomain))?.is_current === false, { what: 'the page is marked as not current' });
  for (let time = 0; time < 20; time += 1) {
    const page = await shown(subdomain);
    expect(page).toMatchObject({ name: subdomain, is_current: false, components: [{ status: 'up' }] });
    expect(Date.parse(page?.as_of ?? '')).toBeGreaterThanOrEqual(Date.parse(asOf));
  }
  const html = await textOf(`/status/${subdomain}`);
  const text = await html.text();
  expect([html.status, text.includes('This is the last known status')]).toEqual([200, true]);
  const [style] = /\/status\/assets\/[\w.-]+\.css/.exec(text) ?? [];
  expect((await textOf(style ?? '')).status).toBe(200);
}

longFault('F63', 'status pages without database and NATS, from the start, and one that is withdrawn in the meantime', async () => {
  load = await Load.on(Parts.start({ env: { STATUS_PAGE_DOMAIN: 'pages.example' } }));
  const { farwatch: parts } = load;
  const { nats, database, controller } = parts;
  await parts.probe(load.session, 'local');
  const [monitorId = ''] = await load.steady(1, 'shop');
  const below = await publish('read', monitorId);
  await giveDomain('read', 'status.shop.example');
  await publish('never-read', monitorId);
  await until(async () => (await snapshotOf('read')) !== null && (await shown('read'))?.components[0]?.status === 'up',
    { what: 'the page shows the monitor up' });
  const domains = join(load.farwatch.controller.env['DATA_DIR'] ?? '', 'status-pages', 'domains');
  await until(async () => (await readFile(domains, 'utf8')).includes('status.shop.example'));
  await until(async () => (await shown('read')) && (await snapshotOf('read'))?.components[0]?.status === 'up',
    { what: 'the snapshot shows the monitor up' });
  const asOf = (await snapshotOf('read'))?.as_of ?? '';

  await Promise.all([nats.kill9(), database.end('SIGKILL')]);
  await staysReadable('read', asOf);

  await controller.end('SIGKILL');
  controller.start();
  await until(() => shown('read'), { what: 'the page of a controller without any connection yet' });
  await staysReadable('read', asOf);
  const states = await Promise.all(['/healthz', '/readyz', '/api/monitors', '/status/unknown'].map(
    async (path) => (await textOf(path)).status,
  ));
  expect(states).toEqual([200, 503, 503, 503]);
  const hosts = ['read.pages.example', 'status.shop.example', 'other.shop.example'];
  expect(await Promise.all(hosts.map(statusAt))).toEqual([200, 200, 503]);
  for (const path of [...below.map((name) => `/status/read/${name}`), '/api/public/status-pages/read/badge.svg']) {
    const response = await textOf(path);
    expect([path, response.status, (await response.text()).length > 20]).toEqual([path, 200, true]);
  }

  const startedAt = Date.now();
  await nats.restart();
  database.start();
  await parts.ready();
  await until(async () => (await shown('read'))?.is_current, { what: 'the page is current again' });
  const recoveryMs = [Date.now() - startedAt];
  expect((await shown('read'))?.components).toMatchObject([{ status: 'up' }]);
  await until(() => snapshotOf('never-read'), { what: 'a snapshot of the unread page' });

  await controller.end('SIGKILL');
  const mongo = await MongoClient.connect(withDatabase(storeUrl(database.log), 'farwatch'));
  await mongo.db().collection('status_pages').updateMany({}, { $set: { status: 'draft' } });
  await mongo.close();
  controller.start();
  await parts.ready();
  expect((await textOf('/status/read')).status).toBe(404);
  await until(async () => !(await snapshotOf('read')) && !(await snapshotOf('never-read')), { what: 'no snapshots' });
  await database.end('SIGKILL');
  const gone = await Promise.all(['read', 'never-read'].map(async (name) => (await textOf(`/status/${name}`)).status));
  expect(gone.filter((status) => status !== 404 && status !== 503)).toEqual([]);
  return toOutcome({ injected: 4, recoveryMs }, 'pages stayed readable, and said of when they were');
});
