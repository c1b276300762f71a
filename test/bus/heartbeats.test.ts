import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { until } from '../helpers/until.ts';

interface Monitor {
  id: string;
  heartbeat_token: string;
  runtimeStatus: string;
  last_heartbeat_at?: number;
}

interface Incident {
  status: string;
  severity: string;
  type: string;
  error_message: string;
  affected_regions: string[];
}

describe('a heartbeat', () => {
  let rig: ControllerRig;
  beforeAll(async () => {
    rig = await startControllerRig();
  });
  afterAll(() => rig.stop());

  const create = async (interval: number | null, grace: number, more: object = {}): Promise<Monitor> => {
    const body = { name: 'Backup', type: 'HEARTBEAT', heartbeat_interval: interval, grace_period: grace, ...more };
    return (await rig.session.ok<{ monitor: Monitor }>('POST', '/api/monitors', body)).monitor;
  };
  const read = async (id: string) =>
    (await rig.session.ok<{ monitor: Monitor }>('GET', `/api/monitors/${id}`)).monitor;
  const becomes = (id: string, status: string) =>
    until(
      async () => (await read(id)).runtimeStatus === status,
      { what: `the heartbeat is ${status}`, everyMs: 50 },
    );
  const ping = async (monitor: Monitor, path = '') => expect(
    (await fetch(`${rig.controller.url}/api/heartbeat/${monitor.heartbeat_token}${path}`)).status,
  ).toBe(200);
  const incidents = async (id: string) =>
    (await rig.session.ok<{ incidents: Incident[] }>('GET', `/api/incidents?check_id=${id}`)).incidents;

  test('is unknown until its first ping, then up with the time of the ping', async () => {
    const monitor = await create(3600, 60);
    expect(monitor.runtimeStatus).toBe('unknown');
    const before = Math.floor(Date.now() / 1000);
    await ping(monitor);
    const after = Math.ceil(Date.now() / 1000);
    await becomes(monitor.id, 'up');
    const { last_heartbeat_at: at } = await read(monitor.id);
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(after);
    await until(async () => (await pings()).length === 0, { what: 'the collection of pings is empty' });
  });

  test('is down as soon as its job fails, and up with the next success, whose run time is the response time', async () => {
    const monitor = await create(3600, 60);
    await ping(monitor, '/7');
    await becomes(monitor.id, 'down');
    expect(await until(
      async () => { const found = await incidents(monitor.id); return found.length === 1 && found; },
    ))
      .toEqual([
      expect.objectContaining({
        status: 'open', type: 'status_code', severity: 'major',
        error_message: 'The job ended with exit code 7', affected_regions: [],
      }),
    ]);
    await ping(monitor, '/fail');
    await ping(monitor, '/start');
    await ping(monitor, '/0');
    await becomes(monitor.id, 'up');
    await until(
      async () => (await incidents(monitor.id))[0]?.status === 'resolved',
      { what: 'the incident is resolved' },
    );
    const stats = await rig.session.ok<Record<string, number>>('GET', `/api/monitors/${monitor.id}/stats`);
    expect(stats).toMatchObject({ total_checks: 3, failed_checks: 2, runtime_status: 'up' });
    expect(await incidents(monitor.id)).toHaveLength(1);
  });

  test('is down when no ping arrives in time, and recovers with the next', async () => {
    const monitor = await create(2, 1);
    await ping(monitor);
    await becomes(monitor.id, 'up');
    await becomes(monitor.id, 'down');
    const [incident] = await until(
      async () => { const found = await incidents(monitor.id); return found.length === 1 && found; },
    );
    expect(incident).toMatchObject({ status: 'open', type: 'timeout', severity: 'critical' });
    expect(incident?.error_message).toMatch(/^No ping since \d{4}-.*Z; expected every 2 s$/);
    await ping(monitor);
    await becomes(monitor.id, 'up');
    await until(
      async () => (await incidents(monitor.id))[0]?.status === 'resolved',
      { what: 'the incident is resolved' },
    );
  });

  test('is down when its first ping never arrives', async () => {
    const monitor = await create(1, 1);
    await becomes(monitor.id, 'down');
    await until(
      async () => /^No ping yet; waiting since /.test((await incidents(monitor.id))[0]?.error_message ?? ''),
      { what: 'the incident' },
    );
  });

  test('is down when a run does not end in time, whatever parallel runs do', async () => {
    const monitor = await create(3600, 3600, { max_runtime_seconds: 3 });
    const [hung, quick] = [randomUUID(), randomUUID()];
    await ping(monitor, `/start?rid=${hung}`);
    await ping(monitor, `/start?rid=${quick}`);
    await ping(monitor, `?rid=${quick}`);
    await becomes(monitor.id, 'up');
    await becomes(monitor.id, 'down');
    const [incident] = await until(
      async () => { const found = await incidents(monitor.id); return found.length === 1 && found; },
    );
    expect(incident?.error_message).toMatch(/^The run that started at \d{4}-.*Z did not end within 3 s$/);
    await ping(monitor, `/0?rid=${hung}`);
    await becomes(monitor.id, 'up');
  });

  test('journals each ping with the due time after it', async () => {
    const schedule = { heartbeat_schedule: '30 3 * * *', heartbeat_timezone: 'Asia/Kathmandu' };
    const monitor = await create(null, 60, schedule);
    await ping(monitor);
    await becomes(monitor.id, 'up');
    const entries = await documents('journal');
    const pings = entries.flatMap(({ pings: some = [] }) => some as { monitor_id: string; at: number; due_at: number }[]);
    const [journaled] = pings.filter(({ monitor_id: id }) => id === monitor.id);
    const { at = 0, due_at: dueAt = 0 } = journaled ?? {};
    // In Nepal, it is 5:45 later than in UTC, all year.
    expect((dueAt + 5.75 * 3_600_000) % 86_400_000).toBe(3.5 * 3_600_000);
    expect(dueAt - at).toBeGreaterThan(0);
    expect(dueAt - at).toBeLessThan(86_400_000 + 60_000);
  });

  test('does not appear in the recent activity', async () => {
    const stats = await rig.session.ok<{ recent_activity: unknown[]; by_type: Record<string, number> }>(
      'GET', '/api/monitors/stats',
    );
    expect(stats.recent_activity).toEqual([]);
    expect(stats.by_type).toEqual({ HEARTBEAT: 6 });
  });

  const pings = () => documents('pings');
  const documents = async (collection: string): Promise<Record<string, unknown>[]> => {
    const { MongoClient } = await import('mongodb');
    const client = await MongoClient.connect(rig.store.url);
    try {
      return await client.db().collection(collection).find({}).toArray();
    } finally {
      await client.close();
    }
  };
});
