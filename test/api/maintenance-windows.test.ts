import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProjectContext } from '../../controller/http/routing/route.ts';
import type { MaintenanceDeps } from '../../controller/maintenance/deps.ts';
import { WindowStore } from '../../controller/maintenance/store.ts';
import {
  changeWindow, createWindow, listOccurrences, previewOccurrences,
} from '../../controller/maintenance/verbs.ts';
import {
  MAX_WINDOWS, MAX_WINDOWS_PER_MONITOR, type WindowDoc,
} from '../../controller/maintenance/window.ts';
import { FairQueue } from '../../controller/work/fair-queue.ts';
import { systemClock } from '../../shared/time.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

const HOUR_MS = 3_600_000;

let app: TestApp;
let tenant: Tenant;
let other: Tenant;
let client: ApiClient;
let path: string;

beforeAll(async () => {
  app = await makeApp();
  [tenant, other] = [await newTenant(app), await newTenant(app)];
  client = tenant.owner.client.with({ 'x-project-id': tenant.projectId });
  path = `/api/projects/${tenant.projectId}/maintenance-windows`;
});
afterAll(() => app.close());

/** In this many hours from now. */
const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();

/** Start of the next Saturday in UTC, Unix ms. */
function nextSaturday(): number {
  const today = new Date();
  return Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + 7 - (today.getUTCDay() + 1) % 7);
}

async function create(body: object = {}, by = client, at = path): Promise<Loose> {
  const response = await by.post(at, { title: 'Move', starts_at: inHours(-1), ends_at: inHours(1), ...body });
  expect(response.status, response.text).toBe(201);
  return response.data.maintenance_window;
}

async function createMonitor(by: ApiClient = client): Promise<string> {
  const body = { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
  return (await by.post('/api/monitors', body)).data.monitor.id;
}

test('a window is read back as it was sent, and a read can be sent back', async () => {
  const monitor = await createMonitor();
  const { data } = await client.post(
    `/api/projects/${tenant.projectId}/status-pages`, { name: 'Acme', subdomain: `page-${randomUUID()}` },
  );
  const [starts_at, ends_at] = [90, 180].map((minutes) => new Date(nextSaturday() + minutes * 60_000).toISOString());
  const body = {
    title: 'Move of the database', description: 'Two\nlines', starts_at, ends_at, monitor_ids: [monitor],
    status_page_ids: [data.status_page.id],
    recurrence: 'FREQ=WEEKLY;BYDAY=SA', timezone: 'Europe/Berlin', suppress_alerts: false,
  };
  const window = await create(body);
  expect(window).toMatchObject({ ...body, status: 'scheduled', project_id: tenant.projectId });
  expect(window.occurrence).toEqual({ starts_at: body.starts_at, ends_at: body.ends_at });
  const one = `${path}/${window.id}`;
  expect((await client.get(one)).data.maintenance_window).toEqual(window);
  expect((await client.get(path)).data.maintenance_windows).toContainEqual(window);
  expect((await client.put(one, window)).data.maintenance_window).toEqual(window);
  const changed = (await client.patch(one, { recurrence: 'rrule:freq=monthly' })).data.maintenance_window;
  expect(changed).toMatchObject({ ...body, recurrence: 'FREQ=MONTHLY' });
  expect((await client.delete(one)).data.message).toBe('Maintenance window deleted successfully');
  expect((await client.get(one)).code).toBe('RESOURCE_NOT_FOUND');
  expect((await client.delete(one)).code).toBe('RESOURCE_NOT_FOUND');
});

test('a window is scheduled, active or over, and holds alerts by default', async () => {
  expect(await create()).toMatchObject({
    status: 'active', suppress_alerts: true, description: null, recurrence: null, timezone: 'UTC',
    monitor_ids: [], status_page_ids: [],
  });
  expect(await create({ starts_at: inHours(1), ends_at: inHours(2) })).toMatchObject({ status: 'scheduled' });
  expect(await create({ starts_at: inHours(-2), ends_at: inHours(-1) })).toMatchObject({
    status: 'over', occurrence: null,
  });
});

test('each change marks its monitors for the journals, including those it no longer contains', async () => {
  const [first, second] = [await createMonitor(), await createMonitor()];
  const revisions = async () =>
    (await app.monitors.findByIds([first, second])).sort((one, two) => one.created_at - two.created_at)
      .map(({ revision, windows_changed_at }) => [revision, windows_changed_at !== undefined]);
  const window = await create({ monitor_ids: [first] });
  expect(await revisions()).toEqual([[2, true], [1, false]]);
  await client.patch(`${path}/${window.id}`, { monitor_ids: [second] });
  expect(await revisions()).toEqual([[3, true], [2, true]]);
  await client.patch(`${path}/${window.id}`, { monitor_ids: [second] });
  expect(await revisions()).toEqual([[3, true], [2, true]]);
  await client.delete(`${path}/${window.id}`);
  expect(await revisions()).toEqual([[3, true], [3, true]]);
  expect(await app.db.collection<WindowDoc>('maintenance_windows').findOne({ _id: window.id })).toBeNull();
});

test.each<[object, string]>([
  [{ ends_at: inHours(-2) }, 'ends_at'],
  [{ ends_at: inHours(24 * 91) }, 'ends_at'],
  [{ ends_at: inHours(24 * 8), recurrence: 'FREQ=MONTHLY' }, 'ends_at'],
  [{ starts_at: '2026-11-25T08:00:00' }, 'starts_at'],
  [{ starts_at: '1999-11-25T08:00:00Z' }, 'starts_at'],
  [{ recurrence: 'FREQ=SECONDLY' }, 'recurrence'],
  [{ recurrence: `FREQ=DAILY;BYMONTHDAY=${'1,'.repeat(300)}1` }, 'recurrence'],
  [{ timezone: 'Mars/Olympus' }, 'timezone'],
  [{ timezone: '+02:00' }, 'timezone'],
  [{ title: ' ' }, 'title'],
  [{ monitor_ids: [randomUUID()] }, 'monitor_ids'],
  [{ status_page_ids: [randomUUID()] }, 'status_page_ids'],
  [{ monitor_ids: Array.from({ length: 501 }, () => randomUUID()) }, 'monitor_ids'],
])('is rejected with %j', async (body, field) => {
  const valid = { title: 'Move', starts_at: inHours(-1), ends_at: inHours(1) };
  const response = await client.post(path, { ...valid, ...body });
  expect(response.code, response.text).toBe('VALIDATION_ERROR');
  expect(response.error.details[0].path[0]).toBe(field);
});

test('other tenants\' monitors, pages and windows are unknown', async () => {
  const theirs = other.owner.client.with({ 'x-project-id': other.projectId });
  const body = { title: 'Move', starts_at: inHours(-1), ends_at: inHours(1) };
  const foreign = await createMonitor(theirs);
  expect((await client.post(path, { ...body, monitor_ids: [foreign] })).code).toBe('VALIDATION_ERROR');
  const window = await create({}, theirs, `/api/projects/${other.projectId}/maintenance-windows`);
  for (const response of [
    await client.get(`${path}/${window.id}`), await client.patch(`${path}/${window.id}`, { title: 'Mine' }),
    await client.delete(`${path}/${window.id}`),
  ]) expect(response.code).toBe('RESOURCE_NOT_FOUND');
});

test('a monitor can be in a limited number of windows; those that are over do not count', async () => {
  const monitor_ids = [await createMonitor()];
  const body = { title: 'Move', starts_at: inHours(-1), ends_at: inHours(1), monitor_ids };
  await create({ ...body, ends_at: inHours(-0.5) });
  for (let count = 0; count < MAX_WINDOWS_PER_MONITOR; count += 1) await create(body);
  expect((await client.post(path, body)).error.details[0].path).toEqual(['monitor_ids']);
});

test('a project has a limited number of windows', async () => {
  const crowded = await newTenant(app);
  const at = `/api/projects/${crowded.projectId}/maintenance-windows`;
  const { id } = await create({}, crowded.owner.client, at);
  const windows = app.db.collection<WindowDoc>('maintenance_windows');
  const doc = (await windows.findOne({ _id: id })) as WindowDoc;
  await windows.insertMany(Array.from({ length: MAX_WINDOWS - 1 }, () => ({ ...doc, _id: randomUUID() })));
  const response = await crowded.owner.client.post(
    at, { title: 'Move', starts_at: inHours(-1), ends_at: inHours(1) },
  );
  expect(response.code).toBe('FAIR_USE_LIMIT_REACHED');
  expect(response.error.details).toEqual({ limit: MAX_WINDOWS });
});

test('a published page shows its windows, in JSON and HTML', async () => {
  const subdomain = `page-${randomUUID()}`;
  const pages = `/api/projects/${tenant.projectId}/status-pages`;
  const { id } = (await client.post(pages, { name: 'Acme', subdomain })).data.status_page;
  const monitor = await createMonitor();
  await client.put(`${pages}/${id}/monitors`, { monitors: [{ monitor_id: monitor, display_name: 'Web shop' }] });
  await client.post(`${pages}/${id}/publish`);
  const [window] = [
    await create({ title: 'New <database>', monitor_ids: [monitor], status_page_ids: [id] }),
    await create({ title: 'Not for readers', monitor_ids: [monitor] }),
    await create({ title: 'Over', starts_at: inHours(-3), ends_at: inHours(-2), status_page_ids: [id] }),
  ];
  const { maintenance } = (await app.client.get(`/api/public/status-pages/${subdomain}`)).data.status_page;
  expect(maintenance).toEqual([{
    id: window.id, title: 'New <database>', description: null, affected: ['Web shop'],
    starts_at: window.starts_at, ends_at: window.ends_at,
  }]);
  const { text } = await app.client.get(`/status/${subdomain}`);
  expect(text).toContain('<h3>New &#60;database&#62;</h3>');
  expect(text).not.toContain('Not for readers');
});

test('a project with a window cannot be deleted until the window is', async () => {
  const { id } = (await client.post('/api/projects', { name: 'Second' })).data.project;
  const at = `/api/projects/${id}/maintenance-windows`;
  const window = await create({}, client, at);
  expect((await client.delete(`/api/projects/${id}`)).code).toBe('CONFLICT');
  await client.delete(`${at}/${window.id}`);
  expect((await client.delete(`/api/projects/${id}`)).status).toBe(200);
});

test('the next run delivers to monitors what a crash held back', async () => {
  const monitor = await createMonitor();
  const { id } = await create({ monitor_ids: [monitor] });
  const windows = app.db.collection<WindowDoc>('maintenance_windows');
  await windows.updateOne({ _id: id }, { $set: { outdated_monitor_ids: [monitor], due_at: 0 } });
  await app.controller.maintenance.windowTask.run();
  expect((await app.monitors.findByIds([monitor]))[0]?.revision).toBe(3);
  expect(await windows.findOne({ _id: id })).not.toHaveProperty('due_at');
});

test('the occurrences of all windows in a time range are listed by time, for this project only', async () => {
  const own = await newTenant(app);
  const [mine, at] = [own.owner.client, `/api/projects/${own.projectId}/maintenance-windows`];
  const body = { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
  const { id: monitored } = (await mine.post('/api/monitors', body)).data.monitor;
  const weekly = await create({
    title: 'Restart', starts_at: '2027-03-20T01:30:00Z', ends_at: '2027-03-20T02:30:00Z',
    recurrence: 'FREQ=WEEKLY', timezone: 'Europe/Berlin', monitor_ids: [monitored],
  }, mine, at);
  const once = await create({ title: 'Move', starts_at: '2027-03-26T23:00:00Z', ends_at: '2027-03-28T01:00:00Z' }, mine, at);
  const { data } = await mine.get(`${at}/occurrences?from=2027-03-27T00:00:00Z&to=2027-04-03T12:00:00Z`);
  expect(data.occurrences).toEqual([
    { maintenance_window_id: once.id, title: 'Move', starts_at: '2027-03-26T23:00:00.000Z', ends_at: '2027-03-28T01:00:00.000Z' },
    { maintenance_window_id: weekly.id, title: 'Restart', starts_at: '2027-03-27T01:30:00.000Z', ends_at: '2027-03-27T02:30:00.000Z' },
    // An hour earlier in UTC, because the clocks have changed.
    { maintenance_window_id: weekly.id, title: 'Restart', starts_at: '2027-04-03T00:30:00.000Z', ends_at: '2027-04-03T01:30:00.000Z' },
  ]);
  const ofMonitor = await mine.get(`${at}/occurrences?from=2027-03-27T00:00:00Z&to=2027-04-03T12:00:00Z&monitor_id=${monitored}`);
  expect(ofMonitor.data.occurrences).toEqual(data.occurrences.slice(1));
  const long = await mine.get(`${at}/occurrences?from=2027-01-01T00:00:00Z&to=2027-12-01T00:00:00Z`);
  expect(long).toMatchObject({ status: 400, error: { code: 'VALIDATION_ERROR' } });
});

test('a preview lists the next ten occurrences and saves nothing', async () => {
  const preview = (body: object) => client.post(`${path}/preview`, body);
  const year = new Date().getUTCFullYear() + 1;
  const times = { starts_at: `${year}-01-31T03:00:00Z`, ends_at: `${year}-01-31T04:00:00Z` };
  const isoAt = (hour: number) => new Date(Date.UTC(year, 2, 0, hour)).toISOString();
  const { data } = await preview({ ...times, recurrence: 'FREQ=MONTHLY;BYMONTHDAY=-1', timezone: 'UTC' });
  expect(data.occurrences).toHaveLength(10);
  expect(data.occurrences[1]).toEqual({ starts_at: isoAt(3), ends_at: isoAt(4) });
  expect((await preview({ ...times, recurrence: 'FREQ=DAILY;COUNT=3' })).data.occurrences).toHaveLength(3);
  expect((await preview(times)).data.occurrences).toHaveLength(1);
  expect((await preview({ ...times, recurrence: 'FREQ=SOMETIMES' })).status).toBe(400);
  expect((await preview({ ...times, ends_at: times.starts_at })).status).toBe(400);
});

test('every computation of a window\'s occurrences takes a turn, with a pause as long as the computation', async () => {
  const tookMs = 40;
  const pauses: number[] = [];
  let readings = 0;
  const clock = {
    ...systemClock, monotonic: () => tookMs * (readings += 1),
    setTimer: (delayMs: number, fire: () => void) => {
      pauses.push(delayMs);
      return systemClock.setTimer(0, fire);
    },
  };
  const queue = new FairQueue(
    systemClock, { maxRunning: 1, maxRunningPerKey: 1, maxWaiting: 10, maxWaitingPerKey: 10, maxWaitMs: HOUR_MS },
    (refusal) => new Error(refusal),
  );
  let turns = 0;
  const deps: MaintenanceDeps = {
    windows: new WindowStore(app.db), onWindowChanged: () => Promise.resolve(),
    existingMonitors: () => Promise.resolve(new Set()), existingPages: () => Promise.resolve(new Set()),
    clock,
    turns: {
      run: (key, work) => {
        turns += 1;
        expect(key).toBe(tenant.organizationId);
        return queue.run(key, work);
      },
    },
  };
  const turnsOf = async (work: () => Promise<unknown>): Promise<number> => {
    turns = 0;
    await work();
    return turns;
  };
  const { data: { project } } = await tenant.owner.client.post('/api/projects', { name: 'Turns' });
  const ctx = {
    tenant: { organizationId: tenant.organizationId, projectId: project.id as string }, now: Date.now(),
    actor: { kind: 'key', keyId: 'key', name: 'Key' },
  } as ProjectContext;
  const times = { starts_at: ctx.now, ends_at: ctx.now + HOUR_MS };
  const settings = { ...times, title: 'Nightly', recurrence: 'FREQ=DAILY', timezone: 'Europe/Berlin' };
  expect(await turnsOf(() => createWindow(deps, ctx, settings))).toBe(1);
  const { _id: id } = await createWindow(deps, ctx, settings);
  expect(await turnsOf(() => changeWindow(deps, ctx, id, { recurrence: 'FREQ=WEEKLY' }))).toBe(1);
  expect(await turnsOf(() => changeWindow(deps, ctx, id, { title: 'Weekly' }))).toBe(1);
  expect(await turnsOf(() => previewOccurrences(deps, ctx, settings))).toBe(1);
  expect(await turnsOf(() => listOccurrences(deps, ctx, { from: ctx.now, to: ctx.now + HOUR_MS }))).toBe(2);
  expect(pauses).toEqual(Array.from({ length: 7 }, () => tookMs));
});
