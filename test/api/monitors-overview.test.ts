import { randomUUID } from 'node:crypto';
import type { Document } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { IncidentDoc } from '../../controller/incidents/incident.ts';
import type { MonitorDoc } from '../../controller/monitors/monitor.ts';
import { encodeRollup } from '../../controller/results/hours/rollup-codec.ts';
import { emptyRollup } from '../../controller/results/hours/rollup.ts';
import type { MonitorLive } from '../../controller/results/reading/recent/unwritten-monitor.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { QueryPlans } from '../helpers/query-plans.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let app: TestApp;
let tenant: Tenant;
let client: ApiClient;
let commands: Document[] = [];
beforeAll(async () => {
  app = await makeApp({ onCommand: (command) => commands.push(command) });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await newTenant(app);
  client = tenant.readKey;
  app.owners.unavailable.clear();
  commands = [];
});

const create = async (change: Loose = {}): Promise<string> => {
  const body = {
    name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60, ...change,
  };
  const response = await tenant.writeKey.post('/api/monitors', body);
  if (response.status !== 201) throw new Error(response.text);
  return response.data.monitor.id;
};
const overview = async (query = ''): Promise<Loose> => {
  const response = await client.get(`/api/monitors/overview${query}`);
  if (response.status !== 200) throw new Error(response.text);
  return response.data;
};
const live = (change: Partial<MonitorLive> = {}): MonitorLive => ({
  status: 'up', since: 1, last_check_at: null, last_success_at: null, last_failure_at: null,
  open_incident: null, regions: [], in_maintenance: false, ...change,
});
const region = (name: string, change: Partial<MonitorLive['regions'][number]> = {}) => ({
  region: name, status: 'up' as const, reason: null, last_check_at: null, response_time_ms: null,
  probe_id: null, ...change,
});

test('returns the state of each monitor, its start and its regions', async () => {
  const { data: group } = await tenant.writeKey.post('/api/groups', { name: 'Shops' });
  const down = await create({ name: 'Down', group_id: group.id, tags: ['web'] });
  const fresh = await create({ name: 'Fresh', interval_seconds: 300 });
  const incident = {
    id: randomUUID(), started_at: 1_700_000_000_000, severity: 'major' as const, type: 'timeout' as const, failure_count: 1,
  };
  const at = 1_700_000_123_456;
  app.owners.live.set(down, live({
    status: 'down', since: 1_700_000_000_500, last_check_at: at, open_incident: incident, regions: [
      region('eu', { status: 'down', last_check_at: at }),
      region('us', { last_check_at: at - 1000, response_time_ms: 80 }),
      region('asia', { last_check_at: at - 2000, response_time_ms: 200 }),
    ],
  }));
  const incidents = app.db.collection<Partial<IncidentDoc> & Pick<IncidentDoc, '_id'>>('incidents');
  await incidents.insertOne({
    _id: incident.id, organization_id: tenant.organizationId, project_id: tenant.projectId, check_id: down,
    status: 'acknowledged', severity: 'major', started_at: incident.started_at,
  });
  const { monitors: [first, second], ...page } = await overview();
  expect(page).toMatchObject({ total_count: 2, next_cursor: null });
  expect(first).toEqual({
    id: down, name: 'Down', type: 'HTTP', target: 'https://shop.example/', status: 'active',
    runtimeStatus: 'down', since: 1_700_000_000_500, in_maintenance: false, interval_seconds: 60,
    group_id: group.id, tags: ['web'], created_at: expect.any(Number),
    region_ids: ['eu', 'us', 'asia'], down_region_ids: ['eu'], last_check_at: at, response_time_ms: 80,
    incident: { id: incident.id, severity: 'major', status: 'acknowledged', started_at: incident.started_at },
  });
  expect(second).toMatchObject({
    id: fresh, runtimeStatus: 'unknown', since: null, group_id: null, tags: [], region_ids: [],
    down_region_ids: [], last_check_at: null, response_time_ms: null, incident: null,
  });
  // A user has closed it.
  await incidents.updateOne({ _id: incident.id }, { $set: { status: 'closed' } });
  expect((await overview()).monitors[0].incident).toBeNull();
});

test('shows a monitor that is paused or in maintenance as such', async () => {
  const paused = await create({ name: 'Paused' });
  const serviced = await create({ name: 'Serviced' });
  await tenant.writeKey.post(`/api/monitors/${paused}/pause`);
  app.owners.live.set(paused, live());
  app.owners.live.set(serviced, live({ status: 'down', in_maintenance: true }));
  const { monitors } = await overview();
  expect(monitors.map((one: Loose) => [one.runtimeStatus, one.in_maintenance])).toEqual([
    ['paused', false], ['down', true],
  ]);
});

describe('pages', () => {
  test('follow the order of creation, even for monitors created in the same millisecond', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 7; count += 1) ids.push(await create({ name: `Shop ${count}` }));
    const same = Date.now();
    await app.db.collection('monitors')
      .updateMany({ _id: { $in: ids.slice(2, 6) as never[] } }, { $set: { created_at: same } });
    await app.db.collection('monitors')
      .updateOne({ _id: ids[6] as never }, { $set: { created_at: same + 1 } });
    const found: string[][] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await overview(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(page.total_count).toBe(7);
      found.push(page.monitors.map((one: Loose) => one.id));
      cursor = page.next_cursor;
    }
    const alike = ids.slice(2, 6).sort();
    expect(found).toEqual([ids.slice(0, 2), alike.slice(0, 2), alike.slice(2), [ids[6]]]);
  });

  test('end without a cursor when the last one is full', async () => {
    await create();
    await create();
    expect(await overview('?limit=2')).toMatchObject({ total_count: 2, next_cursor: null });
  });

  test('leave out deleted monitors and those of other projects', async () => {
    const deleted = await create();
    await tenant.writeKey.delete(`/api/monitors/${deleted}`);
    const other = await newTenant(app);
    await create();
    const response = await other.readKey.get('/api/monitors/overview');
    expect(response.data).toMatchObject({ monitors: [], total_count: 0 });
    expect((await overview()).monitors).toHaveLength(1);
  });

  test('can contain selected monitors, and ignore those of others', async () => {
    const [one, two] = [await create(), await create()];
    await create();
    const mine = client;
    const { monitors } = await overview(`?ids=${two},${one.toUpperCase()},${randomUUID()}`);
    expect(monitors.map(({ id }: Loose) => id)).toEqual([one, two]);
    const other = await newTenant(app);
    client = other.readKey;
    expect((await overview(`?ids=${one}`)).monitors).toEqual([]);
    client = mine;
    expect((await overview('?ids=')).monitors).toEqual([]);
  });
});

describe('hours and days', () => {
  /** Five minutes down in an hour, as one rollup records. */
  const rollup = (downMinutes: number, meanMs: number) => ({
    ...emptyRollup(), time_sum: meanMs * 10, time_count: 1, total: 1,
    times: [HOUR_MS - downMinutes * 60_000, 0, downMinutes * 60_000] as [number, number, number],
  });
  const write = async (collection: 'rollups_1h' | 'rollups_1d', _id: string, of: ReturnType<typeof rollup>) => {
    await app.db.collection<{ _id: string; position: number; rollup: Buffer }>(collection)
      .insertOne({ _id, position: 3, rollup: Buffer.from(encodeRollup(of)) });
  };

  test('come from rollups and from the owner\'s unwritten data', async () => {
    const id = await create();
    const silent = await create();
    const now = Date.now();
    const [hour, today] = [Math.floor(now / HOUR_MS), Math.floor(now / DAY_MS)];
    await write('rollups_1h', `${id}:${hour - 2}`, rollup(6, 250));
    await write('rollups_1h', `${id}:${hour - 30}`, rollup(60, 999));
    await write('rollups_1d', `${id}:${today - 40}`, rollup(30, 1));
    await write('rollups_1d', `${id}:${today - 10}`, rollup(15, 1));
    app.owners.live.set(id, live({ last_check_at: now }));
    app.owners.live.set(silent, live());
    app.owners.figures.set(
      id, { uptime_percentage: 99.999, avg_response_time: 120.4, total_checks: 10, failed_checks: 1 },
    );
    const page = await overview('?include=hours,days&limit=500');
    const [withData, withoutData] = page.monitors;
    expect(page.first_hour).toBe((hour - 23) * HOUR_MS);
    expect(page.first_day).toBe((today - 89) * DAY_MS);
    expect(withData.hours).toEqual([...nulls(21), 90, null, 99.99]);
    expect(withData.response_times).toEqual([...nulls(21), 250, null, 120]);
    const [monitoredMs, down] = [HOUR_MS + 100_000, 360_000 + 1];
    expect(withData.uptime_24h).toBe(Math.floor((1 - down / monitoredMs) * 10_000) / 100);
    expect([withData.days[49], withData.days[79]]).toEqual([50, 75]);
    expect(withData.days).toHaveLength(90);
    expect(withData.days.at(-1)).toBeGreaterThan(80);
    expect(withData.uptime_90d).toBeLessThan(withData.uptime_30d);
    expect(withoutData).toMatchObject({ uptime_24h: null, uptime_30d: null, uptime_90d: null, days: nulls(90) });
    expect(withoutData.hours).toEqual(nulls(24));
    const { monitors: [brief] } = await overview('?include=days&limit=500');
    expect(brief).toMatchObject({ uptime_30d: withData.uptime_30d });
    expect(brief).not.toHaveProperty('hours');
  });

  test('are read by id, for fifty monitors at once, however much else is stored', async () => {
    const [doc] = await app.monitors.findByIds([await create()]) as [MonitorDoc];
    const others = Array.from({ length: 59 }, () => ({ ...doc, _id: randomUUID() }));
    await app.db.collection<MonitorDoc>('monitors').insertMany(others);
    commands = [];
    expect((await overview('?include=days&limit=500')).monitors).toHaveLength(60);
    const reads = commands.filter(({ find }) => find === 'rollups_1d');
    expect(reads.map(({ filter }) => filter._id.$in.length)).toEqual([50 * 89, 10 * 89]);
    const plans = new QueryPlans();
    for (const read of reads) plans.take(read);
    expect(plans.collectionScans()).toEqual([]);
  });

  test('are missing for a monitor that no owner knows yet', async () => {
    await create();
    expect((await overview('?include=hours')).monitors[0]).not.toHaveProperty('hours');
  });

  test('are not returned while an owner is unavailable, but states are', async () => {
    const id = await create();
    app.owners.live.set(id, live());
    for (const name of ['open', 'live'] as const) app.owners.unavailable.add(name);
    expect((await client.get('/api/monitors/overview?include=hours')).status).toBe(503);
    expect((await overview()).monitors).toHaveLength(1);
  });
});

test('conceals the token of a heartbeat from callers who may not change it', async () => {
  await create({ type: 'HEARTBEAT', target: undefined, heartbeat_interval: 3600, grace_period: 60 });
  expect((await overview()).monitors[0].target).toBe('***');
  client = tenant.writeKey;
  expect((await overview()).monitors[0].target).toMatch(/^[0-9a-f]{32}$/);
});

test.each([
  ['pages that are too large', 'limit=5001', 'limit'], ['empty pages', 'limit=0', 'limit'],
  ['days for too many monitors', 'include=days&limit=501', 'limit'],
  ['no cursor', 'cursor=x', 'cursor'], ['a cursor without an id', 'cursor=1.2', 'cursor'],
  ['other parts', 'include=weeks', 'include'], ['what is no id', 'ids=x', 'ids'],
  ['too many ids', `ids=${`,${randomUUID()}`.repeat(101)}`, 'ids'],
])('rejects %s', async (_what, query, field) => {
  const response = await client.get(`/api/monitors/overview?${query}`);
  expect([response.status, response.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(response.error.message).toContain(field);
});

function nulls(count: number): null[] {
  return Array.from({ length: count }, () => null);
}
