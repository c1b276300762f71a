import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunOrder } from '../../shared/contracts/assignment.ts';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import { MAX_BATCH_RESULTS, type CheckResult } from '../../shared/contracts/result.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { Loose } from '../helpers/api-client.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { shardMap } from '../helpers/shard-map.ts';

let rig: ControllerRig;
let probe: TestProbe;
const seqs = new Map<string, number>();

beforeAll(async () => {
  rig = await startControllerRig();
  probe = await rig.probe('one');
  probe.beat();
  await probe.follow();
});
afterAll(() => rig?.stop());

const HOUR_MS = 3_600_000;
const get = (path: string) => rig.session.ok<Loose>('GET', path);

async function create(change: object = {}): Promise<string> {
  const { monitor } = await rig.session.ok<Loose>(
    'POST', '/api/monitors',
    { name: 'Shop', type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 60, ...change },
  );
  await until(() => probe.held.has(monitor.id), { what: 'the probe has it' });
  return monitor.id;
}

function result(monitorId: string, change: Partial<CheckResult>): CheckResult {
  const started_at = change.started_at ?? Date.now();
  return {
    seq: 1, monitor_id: monitorId, assignment_rev: 1, attempt: 1, reason: 'schedule',
    scheduled_at: started_at, started_at, response_time_ms: 12.5, outcome: 'success',
    degraded: false, status_code: 200, error: null, missed: null, timings: { connect: 1.5, first_byte: 9 },
    remote_address: null, tls: null, detail: null, ...change,
  };
}

const failed =
  { outcome: 'failure', status_code: 500, error: { type: 'status_code', message: 'Status 500' } } as const;

/** Sends these in order, in the lane of their shard. */
async function send(results: CheckResult[]): Promise<void> {
  const { region_id, probe_id } = probe.enrolment as { region_id: string; probe_id: string };
  for (let at = 0; at < results.length; at += MAX_BATCH_RESULTS) {
    const part = results.slice(at, at + MAX_BATCH_RESULTS);
    const shard = shardMap.of((part[0] as CheckResult).monitor_id);
    const first = (seqs.get(`${shard}`) ?? 0) + 1;
    seqs.set(`${shard}`, first + part.length - 1);
    const numbered = part.map((one, index) => ({ ...one, seq: first + index }));
    const bytes = encodeBatch({
      epoch: 'e', engine: 'test', first, last: first + part.length - 1, results: numbered, dropped: [],
    });
    await probe.nats.request(subjects.results(shard, region_id, probe_id), bytes, { timeout: 60_000 });
  }
}

test('results are listed newest first, paged and filtered, with their timings', async () => {
  const id = await create();
  const now = Date.now();
  const probeId = probe.enrolment?.probe_id;
  const sent = Array.from(
    { length: 12 },
    (_, at) => result(id, { started_at: now - (12 - at) * 1000, ...(at % 4 === 0 ? failed : {}) }),
  );
  await send([...sent, result(id, {
    started_at: now, outcome: 'missed', response_time_ms: null, status_code: null, timings: null,
    missed: { reason: 'overload', count: 1 },
  })]);
  const { results, next_cursor } = await get(`/api/monitors/${id}/results`);
  expect(next_cursor).toBeNull();
  expect(results.map((one: Loose) => one.checked_at)).toEqual([
    now, ...sent.map((one) => one.started_at).reverse(),
  ]);
  expect(results[0]).toEqual({
    monitor_id: id, region: 'local', probe_id: probeId, success: false, outcome: 'missed', degraded: false,
    response_time_ms: null, status_code: null, error: null,
    timings: null, checked_at: now, reason: 'overload', late: false,
  });
  expect(results[1]).toEqual({
    monitor_id: id, region: 'local', probe_id: probeId, success: true, outcome: 'success', degraded: false,
    response_time_ms: 12.5, status_code: 200, error: null,
    timings: { connect: 1.5, first_byte: 9 }, checked_at: now - 1000, late: false,
  });
  const paged: number[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Loose =
      await get(`/api/monitors/${id}/results?limit=5${cursor === '' ? '' : `&cursor=${cursor}`}`);
    paged.push(...page.results.map((one: Loose) => one.checked_at));
    cursor = page.next_cursor;
  }
  expect(paged).toEqual(results.map((one: Loose) => one.checked_at));
  expect((await get(`/api/monitors/${id}/results?success=false`)).results).toHaveLength(4);
  expect((await get(`/api/monitors/${id}/results?success=true&region=local`)).results).toHaveLength(9);
  expect((await get(`/api/monitors/${id}/results?region=elsewhere`)).results).toEqual([]);
  const between = `from=${now - 5000}&to=${new Date(now - 2000).toISOString()}`;
  expect(
    (await get(`/api/monitors/${id}/results?${between}`)).results.map((one: Loose) => one.checked_at),
  ).toEqual([now - 3000, now - 4000, now - 5000]);
  for (const bad of [
    'limit=0', 'limit=501', 'success=yes', 'from=then', 'from=2026-01-01T00:00:00', 'to=2026-13-01T00:00:00Z',
    'cursor=nonsense', 'other=1',
  ]) {
    expect((await rig.session.call('GET', `/api/monitors/${id}/results?${bad}`)).error?.code, bad).toBe(
      'VALIDATION_ERROR',
    );
  }
});

test('the project\'s statistics show its newest results, without deleted monitors', async () => {
  const [id, gone] = [await create({ name: 'Recent' }), await create({ name: 'Gone' })];
  const nextCheckAt = Date.now();
  await send([result(gone, { started_at: nextCheckAt + 2 })]);
  await send([result(id, { started_at: nextCheckAt + 1, ...failed })]);
  await until(
    async () => (await get('/api/monitors/stats')).recent_activity[0]?.monitor_name === 'Gone',
    { what: 'the newest result is listed' },
  );
  await rig.session.ok('DELETE', `/api/monitors/${gone}`);
  const { recent_activity, by_type } = await get('/api/monitors/stats');
  expect(recent_activity[0]).toEqual({
    monitor_id: id, monitor_name: 'Recent', success: false, response_time_ms: 13, status_code: 500,
    checked_at: new Date(nextCheckAt + 1).toISOString(),
  });
  expect(recent_activity.length).toBeLessThanOrEqual(10);
  expect(by_type.HTTP).toBe((await get('/api/monitors?type=HTTP')).pagination.total_count);
});

test('states are listed newest first with start and end, for the monitor and each region', async () => {
  const id = await create({ confirmation_policy: { regions: 'any', retries: 0 } });
  await send([result(id, { started_at: Date.now() })]);
  await until(async () => (await get(`/api/monitors/${id}`)).monitor.runtimeStatus === 'up', { what: 'up' });
  const now = Date.now();
  await send([result(id, { started_at: now, ...failed })]);
  await until(
    async () => (await get(`/api/monitors/${id}`)).monitor.runtimeStatus === 'down', { what: 'down' },
  );
  const { regions } = await get(`/api/monitors/${id}/regions`);
  expect(regions).toEqual([{
    region: 'local', status: 'down', reason: 'Status 500', last_check_at: now, response_time_ms: 12.5,
    probe_id: probe.enrolment?.probe_id,
  }]);
  await rig.session.ok('POST', `/api/monitors/${id}/pause`);
  const { history } = await until(async () => {
    const found = await get(`/api/monitors/${id}/status-history`);
    return found.history[0]?.status === 'paused' && found;
  }, { what: 'the pause is in the history' }) as Loose;
  expect(history.map((span: Loose) => span.status).slice(0, 3)).toEqual(['paused', 'down', 'up']);
  expect(history[0]).toMatchObject({ to: null, duration_seconds: expect.any(Number) as number });
  expect(history[1]).toMatchObject({
    to: history[0].from, duration_seconds: Math.floor((history[0].from - history[1].from) / 1000),
  });
  expect(history[1].incident_id).toMatch(/^[0-9a-f-]{36}$/);
  expect(
    (await get(`/api/monitors/${id}/status-history?limit=1&before=${history[0].from}`)).history,
  ).toEqual([history[1]]);
  const { timeline } = await get(`/api/incidents/${history[1].incident_id}/timeline`);
  const slow = await create({ name: 'Slow' });
  await send([result(slow, { started_at: Date.now(), response_time_ms: 4321 })]);
  const overview = await until(async () => {
    probe.beat();
    const found = await get('/api/dashboard/overview');
    return found.slowest_monitors[0]?.monitor_id === slow && found.fleet.probes.online === 1 && found;
  }, { what: 'the slow check and the probe appear' }) as Loose;
  const { total_monitors, by_status } = await get('/api/monitors/stats');
  const { total, up, down, degraded, paused, unknown } = overview.monitors;
  expect([total, paused]).toEqual([total_monitors, by_status.paused]);
  expect(up + down + degraded + unknown).toBe(by_status.active);
  expect(up).toBeGreaterThanOrEqual(1);
  expect(overview.slowest_monitors[0]).toEqual({
    monitor_id: slow, monitor_name: 'Slow', response_time_ms: 4321,
  });
  expect(overview.fleet).toMatchObject({
    regions: 1, regions_online: 1, probes: { online: 1, quarantined: 0 },
  });
  expect(overview.incidents).toMatchObject({ acknowledged: 0 });
  const resultsAndStates = timeline.filter((entry: Loose) => entry.kind === 'result' || entry.kind === 'state');
  expect(resultsAndStates).toMatchObject([
    {
      kind: 'result', at: new Date(now).toISOString(),
      result: { region: 'local', success: false, status_code: 500, error: failed.error },
    },
    { kind: 'state', state: { status: 'down', incident_id: history[1].incident_id } },
    ...(timeline.some((entry: Loose) => entry.state?.status === 'paused')
      ? [{ kind: 'state', state: { status: 'paused' } }]
      : []),
  ]);
});

test('an open incident shows the failures so far', async () => {
  const id = await create({ confirmation_policy: { regions: 'any', retries: 0 } });
  const now = Date.now();
  await send([0, 1, 2].map((at) => result(id, { started_at: now + at, ...failed })));
  const read = async () => (await get(`/api/incidents?check_id=${id}`)).incidents[0];
  const listed = await until(
    async () => (await read())?.failure_count === 3 && read(), { what: 'three failures are counted' },
  ) as Loose;
  expect(listed.status).toBe('open');
  expect((await get(`/api/incidents/${listed.id}`)).incident.failure_count).toBe(3);
});

test('an incident of slow responses is its monitor\'s current incident', async () => {
  const id =
    await create({ slow_response_threshold_ms: 20, confirmation_policy: { regions: 'any', retries: 0 } });
  const now = Date.now();
  await send([result(id, { started_at: now, degraded: true })]);
  const [incident] = await until(async () => {
    const { incidents } = await get(`/api/incidents?check_id=${id}`);
    return incidents.length === 1 && incidents;
  }, { what: 'the incident is open' }) as Loose[];
  const facts = { id: incident?.id, status: 'open', severity: 'warning' };
  const stats = await until(async () => {
    const found = await get(`/api/monitors/${id}/stats`);
    return found.runtime_status === 'degraded' && found;
  }, { what: 'the monitor is degraded' }) as Loose;
  expect(stats.current_incident).toMatchObject(facts);
  expect((await get('/api/monitors?limit=1')).monitors[0].stats.currentIncident).toMatchObject(facts);
});

test('response times by region and hour equal those of the results', async () => {
  const id = await create();
  const hour = Date.now() - (Date.now() % HOUR_MS);
  const times = Array.from({ length: 40 }, (_, at) => 10 + at * 2.5);
  await send([
    ...times.map((ms, at) => result(id, { started_at: hour - 1000 + at, response_time_ms: ms })),
    result(id, { started_at: hour - 900, ...failed }),
  ]);
  for (const period of ['24h', '7d', '30d', '90d', '365d']) {
    const { series } = await get(`/api/monitors/${id}/response-times?period=${period}`);
    expect(series).toHaveLength(1);
    const [{ region, points }] = series;
    expect(region).toBe('local');
    expect(points).toHaveLength(1);
    expect(points[0]).toMatchObject({ min: 10, max: 107.5, count: 41, failed: 1, avg: 58.8 });
    for (const [name, share] of [['p50', 0.5], ['p95', 0.95], ['p99', 0.99]] as const) {
      const exact = times[Math.ceil(times.length * share) - 1] as number;
      expect(points[0][name]).toBeGreaterThanOrEqual(exact - 0.1);
      expect(points[0][name]).toBeLessThanOrEqual(exact * 1.05 + 0.1);
    }
  }
  expect((await rig.session.call('GET', `/api/monitors/${id}/response-times?period=1y`)).error?.code).toBe(
    'INVALID_PERIOD',
  );
});

test('an immediate check returns a result for every region, including those without a live probe', async () => {
  const { region_id, probe_id } = probe.enrolment as { region_id: string; probe_id: string };
  const orders: RunOrder[] = [];
  let isSilent = false;
  probe.nats.subscribe(subjects.run(region_id, probe_id), {
    callback: (_error, message) => {
      const order = probe.openRun(message.data);
      orders.push(order);
      if (!isSilent) {
        message.respond(JSON.stringify({
          v: 1, result: { ...result(order.assignment.monitor_id, { reason: 'manual' }), seq: 0 },
        }));
      }
    },
  });
  await probe.nats.flush();
  await rig.session.ok(
    'POST', '/api/regions', { id: 'empty', name: 'Empty', city: 'Nowhere', country: 'DE' },
  );
  const id = await create({ monitoring_regions: ['local', 'empty'], timeout_ms: 1000 });
  probe.beat();
  const { results } = await rig.session.ok<Loose>('POST', `/api/monitors/${id}/check`);
  expect(results).toMatchObject([
    {
      monitor_id: id, region: 'empty', probe_id: null, success: false, outcome: 'missed',
      reason: 'no_live_probe',
    },
    {
      monitor_id: id, region: 'local', probe_id, success: true, outcome: 'success', response_time_ms: 12.5,
      status_code: 200,
    },
  ]);
  expect(orders[0]).toMatchObject({ reason: 'manual', record: true, assignment: { monitor_id: id } });

  const before = (await get('/api/monitors')).pagination.total_count;
  const testRun = await rig.session.ok<Loose>(
    'POST', '/api/monitors/test',
    { type: 'HTTP', target: 'http://127.0.0.1:9/', monitoring_regions: ['local'] },
  );
  expect(testRun.results).toMatchObject([{ region: 'local', success: true }]);
  expect(orders[1]).toMatchObject({
    record: false, assignment: { spec: { type: 'HTTP', url: 'http://127.0.0.1:9/' } },
  });
  expect((await get('/api/monitors')).pagination.total_count).toBe(before);

  isSilent = true;
  const silent = await rig.session.ok<Loose>(
    'POST', '/api/monitors/test',
    { type: 'HTTP', target: 'http://127.0.0.1:9/', monitoring_regions: ['local'], timeout_ms: 1000 },
  );
  expect(silent.results).toMatchObject([
    { region: 'local', probe_id, success: false, outcome: 'missed', reason: 'timeout' },
  ]);

  const heartbeat = { name: 'Job', type: 'HEARTBEAT', heartbeat_interval: 60, grace_period: 60 };
  const { monitor } = await rig.session.ok<Loose>('POST', '/api/monitors', heartbeat);
  expect((await rig.session.call('POST', `/api/monitors/${monitor.id}/check`)).error?.code).toBe(
    'VALIDATION_FAILED',
  );
  expect((await rig.session.call('POST', '/api/monitors/test', heartbeat)).error?.code).toBe(
    'VALIDATION_FAILED',
  );
  expect((await rig.session.call('POST', '/api/monitors/test', { type: 'HTTP' })).error?.code).toBe(
    'VALIDATION_ERROR',
  );
  for (const path of ['status-history', 'results', 'regions', 'response-times']) {
    expect((await rig.session.call(
      'GET', `/api/monitors/00000000-0000-4000-8000-000000000000/${path}`,
    )).error?.code)
      .toBe('MONITOR_NOT_FOUND');
  }
});
