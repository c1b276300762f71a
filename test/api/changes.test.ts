import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../shared/ids.ts';
import type { ChangeDoc } from '../../controller/changes/change.ts';
import { monitorConfig } from '../helpers/delivery-rig.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NOW = Date.UTC(2026, 5, 1, 12);

let app: TestApp;
let tenant: Tenant;
let monitor: string;
beforeAll(async () => {
  app = await makeApp({ clock: new SimulatedClock(NOW) });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await newTenant(app);
  monitor = await createMonitor(tenant, ['shop', 'eu']);
});

async function createMonitor(of: Tenant, tags: string[] = []): Promise<string> {
  const body = { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60, tags };
  return (await of.writeKey.post('/api/monitors', body)).data.monitor.id;
}

async function store(changes: Partial<ChangeDoc>[], of = tenant, monitor_id = monitor): Promise<void> {
  const { organizationId: organization_id, projectId: project_id } = of;
  await app.controller.stores.targetChanges.add(changes.map((change) => ({
    _id: newId(NOW), organization_id, project_id, monitor_id, at: NOW, regions: ['eu'], kind: 'addresses',
    before: ['192.0.2.1'], after: ['192.0.2.2'], ...change,
  })));
}

const list = async (query = '', by: ApiClient = tenant.readKey, id = monitor): Promise<Loose[]> =>
  (await by.get(`/api/monitors/${id}/changes${query}`)).data.changes;
const mark = (body: Loose, by: ApiClient = tenant.writeKey) => by.post('/api/markers', body);

describe('the changes of a monitor', () => {
  test('are listed newest first, with the markers about it, up to a limit and before a time', async () => {
    await store([{ at: NOW - 3000 }, { at: NOW - 1000, kind: 'header', before: ['server: a'], after: [], regions: ['eu', 'us'] }]);
    expect((await mark({ text: ' v1.2 ', at: NOW - 2000 })).status).toBe(201);
    const all = [
      { at: NOW - 1000, regions: ['eu', 'us'], kind: 'header', before: ['server: a'], after: [] },
      { at: NOW - 2000, regions: [], kind: 'marker', before: [], after: ['v1.2'] },
      { at: NOW - 3000, regions: ['eu'], kind: 'addresses', before: ['192.0.2.1'], after: ['192.0.2.2'] },
    ];
    expect(await list()).toEqual(all);
    expect(await list('?limit=2')).toEqual(all.slice(0, 2));
    expect(await list(`?before=${NOW - 1000}&limit=1`)).toEqual(all.slice(1, 2));
  });

  test('are those of no other monitor and no other tenant', async () => {
    const other = await newTenant(app);
    await store([{}], other);
    expect(await list()).toEqual([]);
    await store([{}]);
    expect(await list('', tenant.readKey, await createMonitor(tenant))).toEqual([]);
    expect(await other.readKey.get(`/api/monitors/${monitor}/changes`)).toMatchObject({ status: 404, error: { code: 'MONITOR_NOT_FOUND' } });
  });

  test.each(['?limit=0', '?limit=201', '?before=now', '?from=1'])('%s is refused', async (query) => {
    expect(await tenant.readKey.get(`/api/monitors/${monitor}/changes${query}`)).toMatchObject({ status: 400, error: { code: 'VALIDATION_ERROR' } });
  });

  test('are kept up to 500', async () => {
    for (let nth = 0; nth < 3; nth += 1) {
      await store(Array.from({ length: 250 }, (_, at) => ({ at: NOW + nth * 1000 + at })));
    }
    expect(await app.db.collection('target_changes').countDocuments({ monitor_id: monitor })).toBe(500);
    expect((await list('?limit=1'))[0]?.['at']).toBe(NOW + 2249);
  });
});

describe('a marker', () => {
  test('is about the monitors that it names, about those with one of its tags, or about all', async () => {
    const other = await createMonitor(tenant);
    await mark({ text: 'named', monitor_ids: [monitor.toUpperCase()] });
    await mark({ text: 'tagged', tags: ['eu', 'us'] });
    await mark({ text: 'elsewhere', tags: ['us'] });
    await mark({ text: 'all' });
    const textsOf = async (id: string) => (await list('', tenant.readKey, id)).map(({ after }) => after[0]).sort();
    expect(await textsOf(monitor)).toEqual(['all', 'named', 'tagged']);
    expect(await textsOf(other)).toEqual(['all']);
  });

  test('is returned, and happens now unless it says when', async () => {
    expect((await mark({ text: 'v1', monitor_ids: [monitor, monitor] })).data).toEqual({
      marker: { id: expect.any(String), text: 'v1', at: NOW, monitor_ids: [monitor], tags: [] },
    });
    for (const at of [NOW - 30 * DAY_MS, NOW + 5 * MINUTE_MS]) {
      expect((await mark({ text: 'v1', at })).data.marker.at).toBe(at);
    }
  });

  test.each([
    ['text', {}], ['text', { text: '  ' }], ['text', { text: 'x'.repeat(201) }], ['text', { text: 'two\nlines' }],
    ['at', { text: 'x', at: NOW - 30 * DAY_MS - 1 }], ['at', { text: 'x', at: NOW + 5 * MINUTE_MS + 1 }], ['at', { text: 'x', at: '2026-06-01' }],
    ['tags', { text: 'x', tags: ['a'], monitor_ids: [newId(1)] }], ['tags', { text: 'x', tags: [] }],
    ['monitor_ids', { text: 'x', monitor_ids: [] }], ['monitor_ids', { text: 'x', monitor_ids: ['shop'] }],
  ])('with a wrong %s is refused: %j', async (field, body) => {
    const { status, error } = await mark(body);
    expect([status, error?.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(JSON.stringify((error as Loose)['details'])).toContain(field);
  });

  test('cannot name a monitor of another tenant, and is not created then', async () => {
    const other = await newTenant(app);
    for (const id of [await createMonitor(other), newId(1)]) {
      expect(await mark({ text: 'x', monitor_ids: [monitor, id] })).toMatchObject({ status: 404, error: { code: 'MONITOR_NOT_FOUND' } });
    }
    expect(await list()).toEqual([]);
    await mark({ text: 'theirs', tags: ['shop'] }, other.writeKey);
    expect(await list()).toEqual([]);
  });

  test('needs an editor, and is in the audit log', async () => {
    const viewer = await newMember(app, tenant, 'viewer');
    for (const by of [viewer.client, tenant.readKey]) expect((await mark({ text: 'x' }, by)).status).toBe(403);
    await mark({ text: 'v1' });
    const { entries } = (await tenant.owner.client.get('/api/audit-log')).data;
    expect(entries).toContainEqual(expect.objectContaining({ action: 'marker.created', fields: ['text'] }));
  });

  test('is one of 1,000 that a project keeps', async () => {
    const { organizationId: organization_id, projectId: project_id } = tenant;
    await app.db.collection<Loose & { _id: string }>('markers').insertMany(Array.from({ length: 1000 }, (_, nth) => (
      { _id: newId(NOW), organization_id, project_id, text: 'x', at: NOW - 1000 + nth, monitor_ids: [], tags: [], is_for_all: true }
    )));
    await mark({ text: 'newest' });
    expect(await app.db.collection('markers').countDocuments({ project_id })).toBe(1000);
    expect((await list('?limit=1'))[0]).toMatchObject({ after: ['newest'] });
  });
});

test('an incident lists the changes and markers of the 30 minutes before it', async () => {
  const startedAt = NOW - 10 * MINUTE_MS;
  const { organizationId: organization_id, projectId: project_id } = tenant;
  const config = monitorConfig({ organization_id, project_id, monitor_id: monitor });
  const id = newId(startedAt);
  await app.controller.incidents.outbox.open({
    id, monitor: config, severity: 'major', type: 'timeout', error_message: 'No response', affected_regions: ['eu'],
    failure_count: 1, started_at: startedAt,
  });
  const minutesBefore = (minutes: number) => startedAt - minutes * MINUTE_MS;
  await store([{ at: minutesBefore(31) }, { at: minutesBefore(30) }, { at: startedAt, kind: 'redirects' }, { at: startedAt + 1 }]);
  await mark({ text: 'v2', tags: ['shop'], at: minutesBefore(5) });
  await mark({ text: 'v3', at: NOW });
  const { incident } = (await tenant.readKey.get(`/api/incidents/${id}`)).data;
  expect(incident.changes.map(({ at, kind }: Loose) => [at, kind])).toEqual([
    [startedAt, 'redirects'], [minutesBefore(5), 'marker'], [minutesBefore(30), 'addresses'],
  ]);
  const { incident: manual } = (await tenant.writeKey.post('/api/incidents', {
    severity: 'minor', type: 'timeout', error_message: 'Slow', title: 'Without a monitor',
  })).data;
  expect((await tenant.readKey.get(`/api/incidents/${manual.id}`)).data.incident.changes).toEqual([]);
});
