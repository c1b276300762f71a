import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

const MAX_KEPT = 100;
const MAX_BODY_BYTES = 10_240;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  const plans = { free: { monitors: 8 } };
  app = await makeApp({ env: { DEFAULT_PLAN: 'free' }, plansJson: JSON.stringify(plans) });
  tenant = await newTenant(app);
});
afterAll(() => app.close());

const create = async (by: Tenant, name = 'Backup', settings: object = {}): Promise<Loose> => {
  const body = { name, type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 60, ...settings };
  const response = await by.writeKey.post('/api/monitors', body);
  expect(response.status, response.text).toBe(201);
  return response.data.monitor;
};
const send = async (path: string, init: RequestInit = {}): Promise<number> => (await fetch(app.url + path, init)).status;
const pingsOf = async (id: string, by = tenant.writeKey, query = ''): Promise<Loose[]> =>
  (await by.get(`/api/monitors/${id}/pings${query}`)).data.pings;

describe('the list of pings', () => {
  let monitor: Loose;
  let address: string;
  beforeAll(async () => {
    monitor = await create(tenant);
    address = `/api/heartbeat/${monitor.heartbeat_token}`;
  });

  test('shows kind, exit code, body and sender of each, and the duration of each run by its own start', async () => {
    const [one, other] = [randomUUID(), randomUUID().toUpperCase()];
    const steps = [
      `/start?rid=${one}`, `/start?rid=${other}`, `/log?rid=${one}`, '/start', `/7?rid=${one}`, `/0?rid=${other}`, '', '',
    ];
    for (const step of steps) expect(await send(address + step, { method: 'POST', body: step || 'done' })).toBe(200);
    const pings = (await pingsOf(monitor.id)).toReversed();
    expect(pings.map(({ kind, exit_code: code, run_id: run }) => [kind, code, run])).toEqual([
      ['start', null, one], ['start', null, other.toLowerCase()], ['log', null, one], ['start', null, null],
      ['fail', 7, one], ['success', 0, other.toLowerCase()], ['success', null, null], ['success', null, null],
    ]);
    const since = (end: number, start: number) => pings[end].at - pings[start].at;
    expect(pings.map((ping) => ping.duration_ms)).toEqual([
      null, null, null, null, since(4, 0), since(5, 1), since(6, 3), null,
    ]);
    expect(pings.map((ping) => ping.body)).toEqual(steps.map((step) => step || 'done'));
    expect(new Set(pings.map((ping) => ping.source))).toEqual(new Set(['127.0.0.1']));
    const [, second, third] = pings.toReversed();
    const page = await pingsOf(monitor.id, tenant.writeKey, `?limit=2&before=${second.at}`);
    expect(page[0]?.at).toBe(pings.findLast(({ at }) => at < second.at)?.at ?? third.at);
    expect(page.length).toBeLessThanOrEqual(2);
  });

  test('conceals bodies from read keys, and is not found by other tenants', async () => {
    const [newest] = await pingsOf(monitor.id, tenant.readKey);
    expect(newest).toMatchObject({ kind: 'success', body: '***' });
    const { writeKey } = await newTenant(app);
    expect((await writeKey.get(`/api/monitors/${monitor.id}/pings`)).code).toBe('MONITOR_NOT_FOUND');
  });

  test('has the start of a body of any size and type, cut at a character; the ping counts in any case', async () => {
    const large = 'é'.repeat(MAX_BODY_BYTES);
    for (const body of [large, `x${large}`, new Uint8Array(9_000_000), '']) {
      expect(await send(address, { method: 'POST', body })).toBe(200);
    }
    const [none, binary, odd, even] = (await pingsOf(monitor.id)).map(({ body }) => body as string | null);
    expect(even).toBe('é'.repeat(MAX_BODY_BYTES / 2));
    expect(odd).toBe(`x${'é'.repeat(MAX_BODY_BYTES / 2 - 1)}`);
    expect(binary).toBe('\0'.repeat(MAX_BODY_BYTES));
    expect(none).toBeNull();
    const before = (await pingsOf(monitor.id)).length;
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`POST ${address} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\npart of it`);
    // Once the controller has read that much, the client breaks off.
    socket.end();
    const pings = await until(async () => {
      const found = await pingsOf(monitor.id);
      return found.length > before && found;
    }, { what: 'the ping with an incomplete body' });
    expect(pings[0]?.body).toBe('part of it');
  });

  test('has the newest 100, and the database not many more', async () => {
    const docs = app.db.collection<{ _id: string }>('ping_history');
    const [stored] = await docs.find({ monitor_id: monitor.id }).limit(1).toArray();
    const copies = Array.from({ length: 3 * MAX_KEPT }, (_, at) => ({ ...stored, _id: randomUUID(), at: 1000 + at }));
    await docs.insertMany(copies);
    expect(await pingsOf(monitor.id, tenant.writeKey, '?limit=100')).toHaveLength(MAX_KEPT);
    await until(async () => {
      await send(address);
      return (await docs.countDocuments({ monitor_id: monitor.id })) <= MAX_KEPT;
    }, { what: 'old pings are removed', everyMs: 1 });
    expect((await tenant.writeKey.get(`/api/monitors/${monitor.id}/pings?limit=101`)).code).toBe('VALIDATION_ERROR');
  });

  test.each(['rid=1', 'rid=', `rid=${randomUUID()}x`])('%s names no run', async (query) => {
    expect(await send(`${address}?${query}`)).toBe(400);
  });
});

describe('a ping by name', () => {
  const keyOf = async (by: Tenant) => {
    const response = await by.writeKey.get(`/api/projects/${by.projectId}/ping-key`);
    expect(response.status, response.text).toBe(200);
    return response.data.ping_key as string;
  };

  test('reaches the monitor with the slug, which is made from its name and is unique', async () => {
    const [first, second] = [await create(tenant, 'Bücher & Co'), await create(tenant, 'bucher-co')];
    expect([first.slug, second.slug]).toEqual(['bucher-co', 'bucher-co-2']);
    const key = await keyOf(tenant);
    expect(await keyOf(tenant)).toBe(key);
    for (const [method, ending] of [['GET', '/start'], ['HEAD', ''], ['POST', '/3'], ['GET', '/log']] as const) {
      expect(await send(`/api/ping/${key}/bucher-co${ending}`, { method })).toBe(200);
    }
    expect((await pingsOf(first.id)).map(({ kind }) => kind).toReversed()).toEqual(['start', 'success', 'fail', 'log']);
    expect(await pingsOf(second.id)).toEqual([]);
    expect((await tenant.writeKey.patch(`/api/monitors/${second.id}`, { slug: 'bucher-co' })).code).toBe('SLUG_ALREADY_TAKEN');
    const renamed = await tenant.writeKey.patch(`/api/monitors/${second.id}`, { slug: 'books', name: 'Books' });
    expect(renamed.data.monitor.slug).toBe('books');
    await tenant.writeKey.delete(`/api/monitors/${first.id}`);
    expect(await send(`/api/ping/${key}/bucher-co`)).toBe(404);
    await tenant.writeKey.delete(`/api/monitors/${second.id}`);
  });

  test('creates the monitor once, however many arrive, within the limit of the plan', async () => {
    const own = await newTenant(app);
    const key = await keyOf(own);
    expect(await send(`/api/ping/${key}/nightly`)).toBe(404);
    const first = await Promise.all(Array.from({ length: 12 }, () => send(`/api/ping/${key}/nightly?create=1`)));
    expect(new Set(first)).toEqual(new Set([200]));
    const { monitors } = (await own.writeKey.get('/api/monitors')).data;
    expect(monitors).toMatchObject([{
      name: 'nightly', slug: 'nightly', type: 'HEARTBEAT', heartbeat_interval: 86_400, grace_period: 3600,
      created_by: own.owner.userId,
    }]);
    expect(await pingsOf(monitors[0].id, own.writeKey)).toHaveLength(12);
    expect(await send(`/api/ping/${key}/Not%20a%20slug?create=1`)).toBe(400);
    const slugs = Array.from({ length: 20 }, (_, at) => `job-${at}`);
    const statuses = await Promise.all(slugs.map((slug) => send(`/api/ping/${key}/${slug}?create=1`)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(7);
    expect(statuses.filter((status) => status === 403)).toHaveLength(13);
    const log = (await own.owner.client.get('/api/audit-log')).data.entries as Loose[];
    expect(log.filter(({ action }) => action === 'monitor.created')).toHaveLength(8);
  });

  test('needs the current key of the project, which editors read and replace', async () => {
    const own = await newTenant(app);
    const path = `/api/projects/${own.projectId}/ping-key`;
    const old = (await Promise.all([0, 1, 2, 3].map(() => keyOf(own))))[0] as string;
    await create(own);
    expect(await send(`/api/ping/${old}/backup`)).toBe(200);
    const rotated = (await own.writeKey.post(`${path}/rotate`)).data.ping_key as string;
    expect([await keyOf(own), await send(`/api/ping/${old}/backup`), await send(`/api/ping/${rotated}/backup`)]).toEqual([
      rotated, 404, 200,
    ]);
    expect((await own.readKey.get(path)).code).toBe('INSUFFICIENT_PERMISSIONS');
    expect((await own.readKey.post(`${path}/rotate`)).code).toBe('READ_ONLY_API_KEY');
    expect((await tenant.writeKey.get(path)).code).toBe('API_KEY_ORGANIZATION_MISMATCH');
    const unknown = await Promise.all(['/api/ping/x/backup', `/api/ping/${rotated}/other`, '/api/heartbeat/x'].map(
      async (each) => (await fetch(app.url + each)).text(),
    ));
    expect(new Set(unknown).size).toBe(1);
  });
});

describe('the schedule of a heartbeat', () => {
  const base = { name: 'Job', type: 'HEARTBEAT', grace_period: 60 };

  test.each<[settings: object, code: string, message: string]>([
    [{}, 'VALIDATION_FAILED', 'heartbeat_interval: Required for HEARTBEAT monitors, unless heartbeat_schedule is set'],
    [
      { heartbeat_interval: 60, heartbeat_schedule: '0 3 * * *' }, 'VALIDATION_ERROR',
      'heartbeat_schedule: Send either heartbeat_interval or heartbeat_schedule, not both',
    ],
    [{ heartbeat_interval: 60, heartbeat_timezone: 'UTC' }, 'VALIDATION_ERROR', 'heartbeat_timezone: Requires heartbeat_schedule'],
    [{ heartbeat_schedule: '61 3 * * *' }, 'VALIDATION_ERROR', 'heartbeat_schedule: Is no cron schedule'],
    [{ heartbeat_schedule: '0 0 3 * * *' }, 'VALIDATION_ERROR', 'heartbeat_schedule: Must have five fields'],
    [{ heartbeat_schedule: '0 0 31 2 *' }, 'VALIDATION_ERROR', 'heartbeat_schedule: Never comes due'],
    [{ heartbeat_schedule: '0 3 * * *', heartbeat_timezone: 'Mars/Olympus' }, 'VALIDATION_ERROR', 'heartbeat_timezone: Must be the name of a time zone'],
    [{ heartbeat_interval: 60, max_runtime_seconds: 0 }, 'VALIDATION_FAILED', 'max_runtime_seconds: Maximum run time must be at least 1 second'],
    [{ heartbeat_interval: 60, slug: 'Not a slug' }, 'VALIDATION_ERROR', 'slug: Use 1 to 100 lowercase letters'],
  ])('%j is refused', async (settings, code, message) => {
    const response = await tenant.writeKey.post('/api/monitors', { ...base, ...settings });
    expect(response.code).toBe(code);
    expect(response.error.message).toContain(message);
  });

  test('replaces the interval, and is replaced by one', async () => {
    const job = await create(tenant, 'Job', { heartbeat_interval: null, heartbeat_schedule: ' 30  3 * * MON-FRI' });
    const change = async (body: object) => (await tenant.writeKey.put(`/api/monitors/${job.id}`, body)).data.monitor;
    expect(job).toMatchObject({ heartbeat_schedule: '30 3 * * MON-FRI', heartbeat_timezone: 'UTC', interval_seconds: 86_400 });
    expect(job).not.toHaveProperty('heartbeat_interval');
    const moved = await change({ heartbeat_timezone: 'Europe/Riga', max_runtime_seconds: 600 });
    expect(moved).toMatchObject({ heartbeat_timezone: 'Europe/Riga', max_runtime_seconds: 600, heartbeat_schedule: '30 3 * * MON-FRI' });
    const atInterval = await change({ heartbeat_interval: 7200, max_runtime_seconds: null });
    expect(atInterval).toMatchObject({ heartbeat_interval: 7200, interval_seconds: 7200 });
    for (const gone of ['heartbeat_schedule', 'heartbeat_timezone', 'max_runtime_seconds']) expect(atInterval).not.toHaveProperty(gone);
    expect(await change({ heartbeat_schedule: '0 * * * *' })).toMatchObject({ heartbeat_schedule: '0 * * * *', heartbeat_timezone: 'UTC' });
    const exported = (await tenant.writeKey.get('/api/export')).data.monitors.find((one: Loose) => one.name === 'Job');
    expect(exported).toMatchObject({
      heartbeat_schedule: '0 * * * *', heartbeat_timezone: 'UTC', heartbeat_interval: null, max_runtime_seconds: null, slug: 'job',
    });
    const again = await tenant.writeKey.post('/api/import', { monitors: [exported] });
    expect(again.data?.summary, again.text).toEqual({ created: 0, updated: 0, unchanged: 1 });
  });
});
