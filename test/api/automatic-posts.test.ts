import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { IncidentOpening } from '../../controller/verdicts/effect.ts';
import { newId } from '../../shared/ids.ts';
import type { Loose } from '../helpers/api-client.ts';
import { monitorConfig } from '../helpers/delivery-rig.ts';
import { startMongoProxy } from '../helpers/fault-proxy.ts';
import { incidentBody, makeIncidentApp, type IncidentApp } from '../helpers/incident-app.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

let rig: IncidentApp;
let other: TestApp;
let tenant: Tenant;
let pages: string;

beforeAll(async () => {
  rig = await makeIncidentApp();
  other = await makeApp({ mongoUrl: rig.app.mongoUrl });
  tenant = await newTenant(rig.app);
  pages = `/api/projects/${tenant.projectId}/status-pages`;
});
afterAll(async () => {
  await other.close();
  await rig.app.close();
});
afterEach(async () => {
  expect(await rig.app.controller.stores.incidents.dueForPages(rig.clock.now() + 3_600_000, 10)).toEqual([]);
});

interface Shown {
  is_visible?: boolean;
  display_name?: string;
}

/** A page that shows the monitor; returns the path of its posts. */
async function publish(monitorId: string, settings: object = {}, shown: Shown = {}): Promise<string> {
  const body = { name: 'Acme', subdomain: `page-${randomUUID()}`, ...settings };
  const { id } = (await tenant.writeKey.post(pages, body)).data.status_page;
  const monitors = [{ monitor_id: monitorId, ...shown }];
  await tenant.writeKey.put(`${pages}/${id}/monitors`, { monitors });
  await tenant.writeKey.post(`${pages}/${id}/publish`);
  return `${pages}/${id}/incidents`;
}

/** The effect of the state machine when a monitor goes down. */
function opening(monitorId: string, change: Partial<IncidentOpening> = {}): IncidentOpening {
  const { organizationId: organization_id, projectId: project_id } = tenant;
  return {
    id: newId(rig.clock.now()), severity: 'major', type: 'status_code', error_message: 'Status 503 of 10.0.0.7',
    monitor: monitorConfig({ monitor_id: monitorId, name: 'shop-eu-3', organization_id, project_id }),
    affected_regions: ['eu'], failure_count: 2, started_at: rig.clock.now(), ...change,
  };
}

const runFollower = (app = rig.app) => app.controller.statusPages.follower.run();

async function openIncident(monitorId: string, change: Partial<IncidentOpening> = {}): Promise<string> {
  const one = opening(monitorId, change);
  await rig.incidents.outbox.open(one);
  await runFollower();
  return one.id;
}

async function resolve(monitorId: string, id: string): Promise<void> {
  const { monitor } = opening(monitorId);
  await rig.incidents.outbox.resolve({ id, monitor, resolved_at: rig.clock.now(), failure_count: 3 });
  await runFollower();
}

const posts = async (path: string): Promise<Loose[]> => (await tenant.readKey.get(path)).data.incidents;
const steps = ({ updates }: Loose) => updates.map(({ status }: Loose) => status);

test('an incident is posted on pages that show its monitor, and the post follows the incident', async () => {
  const shop = await rig.monitor(tenant);
  const paths = [await publish(shop, {}, { display_name: 'Shop' }), await publish(shop)];
  const id = await openIncident(shop);
  for (const [at, path] of paths.entries()) {
    const [post, ...more] = await posts(path);
    expect(more).toEqual([]);
    expect(post).toMatchObject({
      incident_id: id, auto_published: true, severity: 'major', status: 'investigating', updates: [],
      title: at === 0 ? 'Shop is down' : 'shop-eu-3 is down', affected_monitor_ids: [shop],
    });
    expect(JSON.stringify(post)).not.toContain('10.0.0.7');
  }
  const [path = ''] = paths;
  await tenant.writeKey.post(`/api/incidents/${id}/acknowledge`);
  await runFollower();
  expect((await posts(path))[0]).toMatchObject({ status: 'identified', updates: [{ status: 'identified' }] });
  await tenant.writeKey.put(`/api/incidents/${id}`, { severity: 'critical' });
  await runFollower();
  expect((await posts(path))[0]).toMatchObject({ severity: 'critical', updates: [{ status: 'identified' }] });
  await resolve(shop, id);
  const [resolved] = await posts(path);
  expect(resolved).toMatchObject({ status: 'resolved', resolved_at: resolved?.updated_at });
  expect(steps(resolved)).toEqual(['identified', 'resolved']);
  await tenant.writeKey.put(`/api/incidents/${id}/status`, { status: 'closed' });
  await runFollower();
  expect(await posts(path)).toEqual([resolved]);
});

test('pages that are opted out, unpublished or do not show the monitor get no post', async () => {
  const shop = await rig.monitor(tenant);
  const draft = await publish(shop);
  await tenant.writeKey.post(draft.replace('/incidents', '/unpublish'));
  const silent = [
    await publish(shop, { auto_publish_enabled: false }),
    await publish(shop, { auto_publish_severities: ['critical', 'minor'] }),
    await publish(shop, {}, { is_visible: false }), await publish(await rig.monitor(tenant)), draft,
  ];
  const wide = await publish(shop, { auto_publish_severities: ['minor', 'major', 'critical'] });
  const ids = [await openIncident(shop), await openIncident(shop, { severity: 'warning', type: 'slow_response' })];
  await openIncident(shop, { late: true });
  for (const path of silent.slice(2)) expect(await posts(path)).toEqual([]);
  expect(await posts(silent[0] as string)).toEqual([]);
  expect(await posts(silent[1] as string)).toMatchObject([{ severity: 'minor', title: 'shop-eu-3 is slow' }]);
  expect((await posts(wide)).map(({ incident_id }) => incident_id).sort()).toEqual([...ids].sort());
});

test('an open incident is posted on a page that is published, or gets its monitor, later', async () => {
  const [shop, blog] = [await rig.monitor(tenant), await rig.monitor(tenant)];
  const [serviced, unaffected] = [await rig.monitor(tenant), await rig.monitor(tenant)];
  const shown = await publish(blog);
  await resolve(unaffected, await openIncident(unaffected));
  const maintenance_until = rig.clock.now() + 60_000;
  const later = await openIncident(serviced, { maintenance_until });
  const id = await openIncident(shop);
  const monitors = [shop, blog, serviced, unaffected].map((monitor_id) => ({ monitor_id }));
  const published = await publish(shop);
  await tenant.writeKey.put(shown.replace('/incidents', '/monitors'), { monitors });
  const enabledLater = await publish(shop, { auto_publish_enabled: false });
  await runFollower();
  expect(await posts(enabledLater)).toEqual([]);
  await tenant.writeKey.patch(enabledLater.replace('/incidents', ''), { auto_publish_enabled: true });
  await runFollower();
  for (const path of [published, shown, enabledLater]) {
    expect(await posts(path), path).toMatchObject([{ incident_id: id, status: 'investigating', auto_published: true }]);
  }
  const [post] = await posts(shown);
  await tenant.writeKey.delete(`${shown}/${post?.id}`);
  await tenant.writeKey.put(shown.replace('/incidents', '/monitors'), { monitors });
  await runFollower();
  expect(await posts(shown), 'a deleted post stays deleted').toEqual([]);
  await rig.clock.advance(60_000);
  await runFollower();
  expect(await posts(shown)).toMatchObject([{ incident_id: later }]);
});

test('a page that is published during an outage shows the monitor down, with its incident', async () => {
  const shop = await rig.monitor(tenant);
  const id = await openIncident(shop, { type: 'slow_response', error_message: 'Response took 900 ms' });
  rig.live.set(shop, {
    status: 'down', since: 1, last_check_at: 1, last_success_at: null, last_failure_at: 1, in_maintenance: false,
    regions: [],
    open_incident: { id, started_at: 1, severity: 'major', type: 'slow_response', failure_count: 2 },
  });
  const subdomain = `page-${randomUUID()}`;
  await publish(shop, { subdomain });
  await runFollower();
  expect((await rig.app.client.get(`/api/public/status-pages/${subdomain}`)).data.status_page).toMatchObject({
    overall: 'major_outage', components: [{ id: shop, status: 'down' }],
    incidents: [{ status: 'investigating', affected: ['Shop'], resolved_at: null }],
  });
});

test('an incident is posted even if the controller dies right after a page was published', async () => {
  const shop = await rig.monitor(tenant);
  const path = await publish(shop);
  await tenant.writeKey.post(path.replace('/incidents', '/unpublish'));
  const id = await openIncident(shop);
  const proxy = await startMongoProxy(rig.app.mongoUrl);
  let marks = 0;
  const dying = await makeApp({
    mongoUrl: proxy.url, clock: rig.clock,
    onCommand: ({ update, updates }) => {
      if (update !== 'incidents' || !JSON.stringify(updates).includes('pages_due')) return;
      marks += 1;
      // The connection breaks before the mark that follows the publication. The one before it remains.
      if (marks === 2) proxy.reset();
    },
  });
  const writer = dying.client.with({ 'x-api-key': tenant.writeKeyText });
  expect((await writer.post(path.replace('/incidents', '/publish'))).status).toBeGreaterThanOrEqual(500);
  await dying.close();
  await proxy.close();
  expect(marks).toBe(2);
  await runFollower();
  expect(await posts(path)).toEqual([]);
  await rig.clock.advance(60_000);
  await runFollower();
  expect(await posts(path)).toMatchObject([{ incident_id: id }]);
});

test('an incident in maintenance is posted at the end of the window, unless it is over by then', async () => {
  const shop = await rig.monitor(tenant);
  const path = await publish(shop);
  const maintenance_until = rig.clock.now() + 60_000;
  const brief = await openIncident(shop, { maintenance_until });
  await resolve(shop, brief);
  const long = await openIncident(shop, { maintenance_until });
  await tenant.writeKey.post(`/api/incidents/${long}/acknowledge`);
  await runFollower();
  expect(await posts(path)).toEqual([]);
  const { incident } = (await tenant.readKey.get(`/api/incidents/${long}`)).data;
  expect(incident).toMatchObject({ in_maintenance: true });
  await rig.clock.advance(60_000);
  await runFollower();
  expect(await posts(path)).toMatchObject([{ incident_id: long }]);
  await resolve(shop, long);
  expect(await posts(path)).toMatchObject([{ incident_id: long, status: 'resolved' }]);
});

test('an incident is posted as soon as its maintenance is shortened or deleted, and later if it is extended', async () => {
  const windows = `/api/projects/${tenant.projectId}/maintenance-windows`;
  const inMinutes = (minutes: number) => new Date(rig.clock.now() + minutes * 60_000).toISOString();
  const [shop, bank] = [await rig.monitor(tenant), await rig.monitor(tenant)];
  const paths = [await publish(shop), await publish(bank)];
  const ids = [];
  for (const monitor_ids of [[shop], [bank]]) {
    const body = { title: 'Move', starts_at: inMinutes(-1), ends_at: inMinutes(60), monitor_ids };
    const response = await tenant.writeKey.post(windows, body);
    ids.push(response.data.maintenance_window.id as string);
  }
  const maintenance_until = rig.clock.now() + 3_600_000;
  for (const monitorId of [shop, bank]) await openIncident(monitorId, { maintenance_until });
  await tenant.writeKey.patch(`${windows}/${ids[0]}`, { ends_at: inMinutes(90) });
  await rig.clock.advance(3_600_000);
  await runFollower();
  expect(await posts(paths[0] as string)).toEqual([]);
  expect(await posts(paths[1] as string)).toHaveLength(1);
  await tenant.writeKey.patch(`${windows}/${ids[0]}`, { ends_at: inMinutes(0.001) });
  await rig.clock.advance(1000);
  await runFollower();
  expect(await posts(paths[0] as string)).toHaveLength(1);
  const third = await openIncident(bank, { maintenance_until: rig.clock.now() + 1_800_000 });
  await tenant.writeKey.patch(`${windows}/${ids[1]}`, { ends_at: inMinutes(30) });
  await runFollower();
  expect(await posts(paths[1] as string)).toHaveLength(1);
  await tenant.writeKey.delete(`${windows}/${ids[1]}`);
  await runFollower();
  expect((await posts(paths[1] as string))[0]).toMatchObject({ incident_id: third });
});

test('a post at its limit of updates does not block others', async () => {
  const shop = await rig.monitor(tenant);
  const path = await publish(shop);
  const id = await openIncident(shop);
  const update = { status: 'investigating', message: 'Still.', created_at: 1 };
  await rig.app.db.collection('status_page_posts').updateOne(
    { incident_id: id }, { $set: { updates: Array.from({ length: 200 }, () => update) } },
  );
  await resolve(shop, id);
  expect(await rig.app.controller.stores.incidents.dueForPages(rig.clock.now() + 3_600_000, 10)).toEqual([]);
  expect((await posts(path))[0]).toMatchObject({ status: 'investigating' });
});

test('a post that a user has changed stays as it is, and a deleted one does not come back', async () => {
  const shop = await rig.monitor(tenant);
  const path = await publish(shop);
  const changes: ((post: string) => Promise<unknown>)[] = [
    (post) => tenant.writeKey.patch(post, { title: 'Our own words' }),
    (post) => tenant.writeKey.post(`${post}/updates`, { status: 'monitoring', message: 'Mended, watching.' }),
    (post) => tenant.writeKey.delete(post),
  ];
  for (const change of changes) {
    const id = await openIncident(shop);
    const post = (await posts(path)).find(({ incident_id }) => incident_id === id);
    await change(`${path}/${post?.id}`);
    const seen = await posts(path);
    await tenant.writeKey.post(`/api/incidents/${id}/acknowledge`);
    await runFollower();
    await resolve(shop, id);
    expect(await posts(path)).toEqual(seen);
  }
  expect(await posts(path)).toHaveLength(2);
});

test('two controllers and repeated work post once', async () => {
  const shop = await rig.monitor(tenant);
  const path = await publish(shop);
  const all = Array.from({ length: 20 }, () => opening(shop));
  for (const one of all) await Promise.all([rig.incidents.outbox.open(one), rig.incidents.outbox.open(one)]);
  await Promise.all([runFollower(), runFollower(other), runFollower(), runFollower(other)]);
  await runFollower();
  const found = (await posts(path)).map(({ incident_id }) => incident_id);
  expect(found.sort()).toEqual(all.map(({ id }) => id).sort());
});

test('another controller finishes half-done work', async () => {
  const shop = await rig.monitor(tenant);
  const path = await publish(shop);
  const one = opening(shop);
  await rig.incidents.outbox.open(one);
  const [seen] = await rig.app.controller.stores.incidents.dueForPages(rig.clock.now(), 1);
  // A claim of a controller that died before it posted anything; meanwhile the incident continued.
  const claim = { token: 'token', holder: 'dead', life: 'last' };
  await rig.app.controller.stores.incidents.claimForPages(seen as NonNullable<typeof seen>, claim);
  await runFollower();
  expect(await posts(path)).toEqual([]);
  await rig.clock.advance(60_000);
  await runFollower();
  expect((await posts(path)).map(({ incident_id }) => incident_id)).toEqual([one.id]);
  const short = opening(shop);
  await rig.incidents.outbox.open(short);
  await rig.incidents.outbox.resolve({
    id: short.id, monitor: short.monitor, resolved_at: rig.clock.now(), failure_count: 3,
  });
  await runFollower();
  const post = (await posts(path)).find(({ incident_id }) => incident_id === short.id);
  expect(post).toMatchObject({ status: 'resolved' });
  expect(steps(post as Loose)).toEqual(['resolved']);
});

test('an incident that a user opens is posted if it names monitors and has a text for pages', async () => {
  const shop = await rig.monitor(tenant, 'internal-name');
  const path = await publish(shop, {}, { display_name: 'Shop' });
  const status_page_update = 'Payments are delayed.';
  const named = { affected_monitor_ids: [shop], title: 'Payments' };
  for (const change of [named, { status_page_update }, { ...named, status_page_update }]) {
    expect((await tenant.writeKey.post('/api/incidents', incidentBody(change))).status).toBe(201);
  }
  await tenant.writeKey.post('/api/incidents', incidentBody({ check_id: shop, title: undefined }));
  await runFollower();
  const found = (await posts(path)).map(({ title, message }) => [title, message]).sort();
  expect(found).toEqual([['Payments', status_page_update], ['Shop is down', 'We are investigating the problem.']]);
});
