import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { IncidentDoc } from '../../controller/incidents/incident.ts';
import type { MonitorLive } from '../../controller/results/reading/recent/unwritten-monitor.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { addRegion, makeApp, type TestApp } from '../helpers/make-app.ts';
import type { Figures } from '../helpers/owners-bus.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

let app: TestApp;
let tenant: Tenant;
let client: ApiClient;
beforeAll(async () => {
  app = await makeApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await newTenant(app);
  client = tenant.writeKey;
  app.owners.recent = [];
  app.owners.unavailable.clear();
});

const create = async (change: Loose = {}): Promise<string> => {
  const body = {
    name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60, ...change,
  };
  const response = await client.post('/api/monitors', body);
  if (response.status !== 201) throw new Error(response.text);
  return response.data.monitor.id;
};
const names = async (query: string) =>
  (await client.get(`/api/monitors?${query}`)).data.monitors.map((monitor: { name: string }) => monitor.name);

const live = (change: Partial<MonitorLive> = {}): MonitorLive => ({
  status: 'up', since: 1, last_check_at: null, last_success_at: null, last_failure_at: null,
  open_incident: null, regions: [], in_maintenance: false, ...change,
});
type StoredIncident = Partial<IncidentDoc> & Pick<IncidentDoc, '_id'>;
const stored = (
  check_id: string, { id, severity, started_at }: Pick<IncidentDoc, 'severity' | 'started_at'> & { id: string },
): StoredIncident => ({
  _id: id, organization_id: tenant.organizationId, project_id: tenant.projectId, check_id, status: 'open',
  severity, started_at,
});
const figures = (change: Partial<Figures> = {}): Figures => ({
  uptime_percentage: 99.5, avg_response_time: 120.3, total_checks: 10, failed_checks: 1, ...change,
});

describe('the list', () => {
  test('is paged, newest first', async () => {
    for (const name of ['one', 'two', 'three']) {
      await create({ name });
      const at = Date.now();
      await until(() => Date.now() > at);
    }
    expect(await names('')).toEqual(['three', 'two', 'one']);
    expect((await client.get('/api/monitors?limit=2')).data.pagination).toEqual({
      total_count: 3, limit: 2, offset: 0, has_more: true,
    });
    expect(await names('limit=2&offset=2')).toEqual(['one']);
    expect((await client.get('/api/monitors?limit=2&offset=2')).data.pagination).toEqual({
      total_count: 3, limit: 2, offset: 2, has_more: false,
    });
    expect((await client.get('/api/monitors?offset=99')).data.pagination.has_more).toBe(false);
    expect((await client.get('/api/monitors')).data.pagination).toEqual({
      total_count: 3, limit: 50, offset: 0, has_more: false,
    });
  });

  test('is sorted by name in code point order, by change, and for last_check_at by creation', async () => {
    const ids: Record<string, string> = {};
    for (const name of ['b', 'Z', 'ä', 'a', '\u{1f600}', '\uffee']) {
      ids[name] = await create({ name });
      const at = Date.now();
      await until(() => Date.now() > at);
    }
    expect(await names('sort_by=name&sort_order=asc')).toEqual(['Z', 'a', 'b', 'ä', '\uffee', '\u{1f600}']);
    expect((await names('sort_by=name'))[0]).toBe('\u{1f600}');
    expect(await names('sort_by=last_check_at')).toEqual(await names(''));
    await client.patch(`/api/monitors/${ids['Z']}`, { interval_seconds: 120 });
    expect((await names('sort_by=updated_at'))[0]).toBe('Z');
  });

  test('is filtered by status, type, tags and group', async () => {
    await create({ name: 'running', tags: ['prod', 'web'] });
    const paused = await create({ name: 'paused', tags: ['prod'] });
    const disabled = await create({ name: 'disabled', tags: ['dev'] });
    await client.post(`/api/monitors/${paused}/pause`);
    await client.post(`/api/monitors/${disabled}/disable`);
    expect(await names('status=active')).toEqual(['running']);
    expect((await names('status=paused')).sort()).toEqual(['disabled', 'paused']);
    expect((await names('status=disabled')).sort()).toEqual(['disabled', 'paused']);
    expect(await names('type=HTTP')).toHaveLength(3);
    expect(await names('type=TCP')).toEqual([]);
    expect(await names('type=TCP&types=HTTP,NONSENSE')).toHaveLength(3);
    expect(await names('types=DNS,TCP')).toEqual([]);
    expect(await names('types=NONSENSE')).toHaveLength(3);
    expect((await names('tags=web,dev')).sort()).toEqual(['disabled', 'running']);
    expect(await names('tags=none')).toEqual([]);
    expect(await names('tags=')).toHaveLength(3);
    expect(await names('search=')).toHaveLength(3);
    expect(await names('search=%0A')).toEqual([]);
    expect(await names('status=active&tags=prod&search=RUN')).toEqual(['running']);
    expect(await names(`group_id=${randomUUID()}`)).toEqual([]);
  });

  test('contains the known facts of each monitor, and omits unknown ones', async () => {
    const fresh = await create({ name: 'fresh' });
    const monitorWithStats = await create({ name: 'known' });
    const incident = {
      id: randomUUID(), started_at: Date.now() - 5 * 60_000 - 500, severity: 'critical' as const,
      type: 'timeout' as const, failure_count: 1,
    };
    const at = 1_700_000_123_456;
    app.owners.live.set(monitorWithStats, live({
      status: 'down', last_check_at: at, last_failure_at: at, last_success_at: 5_000, open_incident: incident,
    }));
    app.owners.figures.set(monitorWithStats, figures());
    const incidents = app.db.collection<StoredIncident>('incidents');
    await incidents.insertOne({ ...stored(monitorWithStats, incident), status: 'acknowledged' });
    const [second, first] = (await client.get('/api/monitors?sort_by=name')).data.monitors;
    expect(first.id).toBe(fresh);
    for (const absent of ['last_check_at', 'stats', 'group_id', 'group_name']) {
      expect(first).not.toHaveProperty(absent);
    }
    expect(first.runtimeStatus).toBe('unknown');
    expect(first.next_check_at * 1000 - Date.now()).toBeLessThanOrEqual(60_000);
    expect(second).toMatchObject({
      runtimeStatus: 'down',
      last_check_at: 1_700_000_123,
      stats: {
        uptime: 99.5, averageResponseTime: 120.3, totalChecks: 10, failedChecks: 1,
        lastChecked: new Date(1_700_000_123_456).toISOString(),
        lastFailureAt: 1_700_000_123_456, lastSuccessAt: 5_000,
        currentIncident: {
          id: incident.id, startedAt: new Date(incident.started_at).toISOString(), downtimeMinutes: 5,
          status: 'acknowledged', severity: 'critical',
        },
      },
    });
    await incidents.updateOne({ _id: incident.id }, { $set: { status: 'resolved' } });
    expect(
      (await client.get('/api/monitors?search=known')).data.monitors[0].stats.currentIncident,
    ).toBeNull();
    await client.post(`/api/monitors/${monitorWithStats}/pause`);
    const paused = (await client.get('/api/monitors?search=known')).data.monitors[0];
    expect(paused.runtimeStatus).toBe('unknown');
    expect(paused).not.toHaveProperty('next_check_at');
    expect((await client.get(`/api/monitors/${monitorWithStats}`)).data.monitor.runtimeStatus).toBe('paused');
    await client.post(
      '/api/monitors', { name: 'job', type: 'HEARTBEAT', heartbeat_interval: 60, grace_period: 60 },
    );
    expect((await client.get('/api/monitors?search=job')).data.monitors[0]).not.toHaveProperty(
      'next_check_at',
    );
  });
});

describe('the current incident', () => {
  const monitorWithStats = async (): Promise<string> => {
    const id = await create();
    app.owners.figures.set(id, figures());
    app.owners.live.set(id, live({ last_check_at: 5_000 }));
    return id;
  };
  const make = async (check_id: string, severity = 'critical'): Promise<string> => (await client.post(
    '/api/incidents', { check_id, severity, type: 'timeout', error_message: 'No response' },
  )).data.incident.id;
  /** The id, status and severity of a monitor's incident wherever it is shown. */
  const shown = async (id: string) => {
    const inList = (await client.get('/api/monitors')).data.monitors.find((one: Loose) => one.id === id);
    const inOverview = (await client.get(`/api/monitors/overview?ids=${id}`)).data.monitors[0].incident;
    const all = [
      inList.stats.currentIncident, inOverview, (await client.get(`/api/monitors/${id}/stats`)).data.current_incident,
    ];
    return all.map((one: Loose | null) => one && [one.id, one.status, one.severity]);
  };

  test('has the severity that users set, on the dashboard too', async () => {
    const id = await monitorWithStats();
    const incident = await make(id);
    const own = { id: incident, started_at: Date.now(), severity: 'critical' as const, type: 'timeout' as const, failure_count: 1 };
    app.owners.live.set(id, live({ status: 'down', last_check_at: 5_000, open_incident: own }));
    await client.put(`/api/incidents/${incident}`, { severity: 'minor' });
    const wanted = [incident, 'open', 'minor'];
    expect(await shown(id)).toEqual([wanted, wanted, wanted]);
    const { incidents } = (await tenant.owner.client.get('/api/dashboard/overview')).data;
    expect(incidents.latest).toMatchObject([{ id: incident, severity: 'minor' }]);
  });

  test('is the latest open one created through the API, unless checks have opened one', async () => {
    const id = await monitorWithStats();
    await create({ name: 'Other' });
    expect(await shown(id)).toEqual([null, null, null]);
    const first = await make(id, 'major');
    const at = Date.now();
    await until(() => Date.now() > at);
    const second = await make(id, 'warning');
    const latest = [second, 'open', 'warning'];
    expect(await shown(id)).toEqual([latest, latest, latest]);
    await client.post(`/api/incidents/${first}/acknowledge`);
    await client.put(`/api/incidents/${second}/status`, { status: 'resolved' });
    const left = [first, 'acknowledged', 'major'];
    expect(await shown(id)).toEqual([left, left, left]);
    const own = {
      id: randomUUID(), started_at: Date.now() - 60_000, severity: 'critical' as const, type: 'timeout' as const, failure_count: 1,
    };
    await app.db.collection<StoredIncident>('incidents').insertOne(stored(id, own));
    app.owners.live.set(id, live({ status: 'down', last_check_at: 5_000, open_incident: own }));
    const ofChecks = [own.id, 'open', 'critical'];
    expect(await shown(id)).toEqual([ofChecks, ofChecks, ofChecks]);
  });

  test('is never one of another project', async () => {
    const id = await monitorWithStats();
    const foreign = { id: randomUUID(), started_at: Date.now(), severity: 'major' as const };
    await app.db.collection<StoredIncident>('incidents').insertOne({
      ...stored(id, foreign), project_id: randomUUID(), created_by: 'somebody',
    });
    expect(await shown(id)).toEqual([null, null, null]);
  });
});

describe('the statistics of a monitor', () => {
  test('are 404 until there is a result', async () => {
    const id = await create();
    expect((await client.get(`/api/monitors/${id}/stats`)).code).toBe('STATS_NOT_FOUND');
    app.owners.live.set(id, live());
    expect((await client.get(`/api/monitors/${id}/stats`)).code).toBe('STATS_NOT_FOUND');
    app.owners.live.set(id, live({ last_check_at: 5_000 }));
    app.owners.figures.set(id, figures({ uptime_percentage: null }));
    expect((await client.get(`/api/monitors/${id}/stats`)).code).toBe('STATS_NOT_FOUND');
  });

  test('contain uptime, counts, times and the incident', async () => {
    const id = await create();
    const incident = {
      id: randomUUID(), started_at: Date.now() - 90_000, severity: 'major' as const,
      type: 'status_code' as const, failure_count: 1,
    };
    app.owners.figures.set(id, figures());
    app.owners.live.set(
      id,
      live({ status: 'degraded', last_check_at: 6_000.4, last_success_at: 5_000, last_failure_at: 3_000 }),
    );
    const empty = await client.get(`/api/monitors/${id}/stats?period=7d`);
    expect(empty.data).toEqual({
      uptime_percentage: 99.5, avg_response_time: 120.3, total_checks: 10, failed_checks: 1,
      last_check_at: 6_000, last_success_at: 5_000,
      last_failure_at: 3_000, runtime_status: 'degraded', in_maintenance: false,
      current_incident: null,
    });
    app.owners.live.set(id, live({ status: 'down', last_check_at: 6_000, open_incident: incident }));
    await app.db.collection<StoredIncident>('incidents').insertOne(stored(id, incident));
    const down = await client.get(`/api/monitors/${id}/stats`);
    expect(down.data).toMatchObject({
      runtime_status: 'down',
      current_incident: {
        id: incident.id, started_at: new Date(incident.started_at).toISOString(), downtime_minutes: 1,
        status: 'open', severity: 'major',
      },
    });
    await client.post(`/api/monitors/${id}/pause`);
    expect((await client.get(`/api/monitors/${id}/stats`)).data.runtime_status).toBe('unknown');
  });

  test('show, next to the health, whether a maintenance window is open, as the list and the single read do', async () => {
    const { data: group } = await client.post('/api/groups', { name: 'Shops' });
    const id = await create({ group_id: group.id });
    app.owners.live.set(id, live({ status: 'down', in_maintenance: true, last_check_at: 5_000 }));
    app.owners.figures.set(id, figures());
    const covered = { runtimeStatus: 'down', in_maintenance: true };
    const listed = await client.get('/api/monitors');
    const members = await client.get(`/api/groups/${group.id}`);
    expect((await client.get(`/api/monitors/${id}`)).data.monitor).toMatchObject(covered);
    expect(listed.data.monitors[0]).toMatchObject(covered);
    expect(members.data.monitors[0]).toMatchObject(covered);
    expect((await client.get(`/api/monitors/${id}/stats`)).data)
      .toMatchObject({ runtime_status: 'down', in_maintenance: true });
    await client.post(`/api/monitors/${id}/pause`);
    expect((await client.get(`/api/monitors/${id}`)).data.monitor)
      .toMatchObject({ runtimeStatus: 'paused', in_maintenance: false });
  });

  test('accept three periods', async () => {
    const id = await create();
    app.owners.live.set(id, live({ last_check_at: 5_000 }));
    app.owners.figures.set(id, figures());
    for (const period of ['7d', '30d', '90d']) {
      expect((await client.get(`/api/monitors/${id}/stats?period=${period}`)).status).toBe(200);
    }
    for (const period of ['', '24h', '7D', '1', 'constructor']) {
      expect((await client.get(`/api/monitors/${id}/stats?period=${period}`)).code, period).toBe(
        'INVALID_PERIOD',
      );
    }
    expect((await client.get(`/api/monitors/${id}/stats?period=7d&period=30d`)).code).toBe(
      'VALIDATION_ERROR',
    );
  });
});

test('the project statistics count types, states and cities, and list the latest results', async () => {
  expect((await client.get('/api/monitors/stats')).data).toEqual({
    total_monitors: 0, by_type: {}, by_status: {}, by_region: {}, recent_activity: [],
  });
  for (const [id, city] of [['eu-1', 'Dublin'], ['eu-2', 'Dublin'], ['us-1', '']] as const) {
    await addRegion(app, id, { city });
  }
  const first = await create({ name: 'first', monitoring_regions: ['eu-1', 'us-1'] });
  await create({ name: 'automatic' });
  const third = await create({ name: 'third', monitoring_regions: ['eu-2'] });
  await client.post(`/api/monitors/${third}/pause`);
  await client.delete(`/api/monitors/${await create({ name: 'deleted' })}`);
  const result = {
    monitor_id: first, success: true, response_time_ms: 12.6, status_code: 200, checked_at: Date.now(),
  };
  app.owners.recent = [
    ...Array<typeof result>(12).fill(result),
    { ...result, monitor_id: randomUUID(), checked_at: result.checked_at - 1 },
  ];
  const { data } = await client.get('/api/monitors/stats');
  expect(data).toMatchObject({
    total_monitors: 3, by_type: { HTTP: 3 }, by_status: { active: 2, paused: 1 },
    by_region: { Dublin: 2, Unknown: 1 },
  });
  expect(data.recent_activity).toHaveLength(10);
  expect(data.recent_activity[0]).toEqual({
    ...result, monitor_name: 'first', response_time_ms: 13,
    checked_at: new Date(result.checked_at).toISOString(),
  });
  const other = await newTenant(app);
  expect((await other.readKey.get('/api/monitors/stats')).data.total_monitors).toBe(0);
});

/** An hour of statistics or a state that no version has written. */
async function corrupt(id: string, collection: 'rollups_1h' | 'monitor_states'): Promise<void> {
  const hour = Math.floor(Date.now() / 3_600_000);
  const doc = collection === 'monitor_states' ? { _id: id, state: null } : { _id: `${id}:${hour}`, results: 'booked' };
  await app.db.collection<{ _id: string }>(collection).insertOne(doc);
}

test('an internal error has the code of its route', async () => {
  const id = await create();
  app.owners.live.set(id, live({ last_check_at: 5 }));
  app.owners.recent = [
    { monitor_id: id, success: true, response_time_ms: 1, status_code: 200, checked_at: Date.now() },
  ];
  await corrupt(id, 'rollups_1h');
  await corrupt(id, 'monitor_states');
  const expectFailure = async (path: string, status: number, code: string) => {
    const response = await client.get(path);
    expect([response.status, response.code], path).toEqual([status, code]);
    expect(response.text).not.toContain('booked');
  };
  await expectFailure('/api/monitors', 400, 'MONITORS_FETCH_FAILED');
  await expectFailure(`/api/monitors/${id}/stats`, 500, 'STATS_FETCH_FAILED');
  await expectFailure('/api/monitors/stats', 500, 'INTERNAL_ERROR');
  // Without a response from the owner, the stored state is read.
  app.owners.unavailable.add('live');
  await expectFailure(`/api/monitors/${id}`, 500, 'CHECK_FETCH_FAILED');
  expect((await client.post(`/api/monitors/${id}/pause`)).code).toBe('MONITOR_PAUSE_FAILED');
});

test('while the owner of a shard is unavailable, statuses are returned, and counts are 503', async () => {
  const { data: group } = await client.post('/api/groups', { name: 'All' });
  const id = await create({ group_id: group.id });
  app.owners.live.set(id, live({ last_check_at: 5 }));
  app.owners.figures.set(id, figures());
  const paths = [
    '/api/monitors', `/api/monitors/${id}/stats`, '/api/monitors/stats', `/api/monitors/${id}/results`,
    `/api/monitors/${id}/response-times?period=7d`, `/api/groups/${group.id}/stats`,
    '/api/groups/health-summary', '/api/dashboard/overview',
  ];
  const person = tenant.owner.client;
  const readAll = () => Promise.all(paths.map((path) => person.get(path)));
  expect((await readAll()).map(({ status }) => status)).toEqual(Array(paths.length).fill(200));
  for (const name of ['open', 'live', 'latest', 'rows', 'health'] as const) app.owners.unavailable.add(name);
  for (const [index, response] of (await readAll()).entries()) {
    expect([response.status, response.code], paths[index]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(Number(response.headers.get('retry-after')), paths[index]).toBeGreaterThan(0);
  }
  for (const path of [`/api/monitors/${id}`, `/api/monitors/${id}/regions`, `/api/groups/${group.id}`]) {
    expect((await person.get(path)).status, path).toBe(200);
  }
});
