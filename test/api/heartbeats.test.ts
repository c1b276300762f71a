import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import { PingStore } from '../../controller/heartbeats/store.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';
import { shardMap } from '../helpers/shard-map.ts';

interface PingDoc {
  _id: string;
  monitor_id: string;
  kind: string;
  exit_code: number | null;
  shard: number;
}

describe('pings of a heartbeat', () => {
  let app: TestApp;
  let tenant: Tenant;
  let client: ApiClient;
  const logged: string[] = [];
  beforeAll(async () => {
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        logged.push(chunk.toString());
        done();
      },
    });
    app = await makeApp({ env: { RATE_LIMIT: '400' }, log: pino({ level: 'trace' }, sink) });
    await new PingStore(app.db).ensureIndexes();
    tenant = await newTenant(app);
    client = tenant.owner.client;
  });
  afterAll(() => app.close());

  const create = async (): Promise<Loose> => {
    const response = await client.post(
      '/api/monitors', { name: 'Backup', type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 60 },
    );
    expect(response.status, response.text).toBe(201);
    return response.data.monitor;
  };
  const storedPings = async (id: string) => {
    const found = app.db.collection<PingDoc>('pings').find({ monitor_id: id }).sort({ at: 1, _id: 1 });
    return (await found.toArray()).map((ping) => ({ ...ping, exit_code: ping.exit_code ?? null }));
  };
  const send = (path: string, init: RequestInit = {}) => fetch(`${app.url}/api/heartbeat/${path}`, init);

  test.each([
    ['GET', '', 'success', null], [
      'HEAD', '', 'success', null,
    ], ['POST', '', 'success', null], ['GET', '/start', 'start', null], ['POST', '/fail', 'fail', null],
    ['HEAD', '/fail', 'fail', null], ['GET', '/0', 'success', 0], ['POST', '/3', 'fail', 3],
    ['POST', '/255', 'fail', 255],
  ])('%s /api/heartbeat/{token}%s is stored before the response', async (method, path, kind, code) => {
    const monitor = await create();
    const response = await send(monitor.heartbeat_token + path, { method });
    expect(response.status).toBe(200);
    if (method !== 'HEAD') expect(await response.json()).toEqual({ success: true, data: { ok: true } });
    expect(await storedPings(monitor.id)).toEqual([expect.objectContaining({
      monitor_id: monitor.id, kind, exit_code: code, shard: shardMap.of(monitor.id), revision: 1,
    })]);
    expect(app.owners.notifiedShards.at(-1)).toBe(shardMap.of(monitor.id));
  });

  test.each([
    ['GET', '/ping/{token}', 'success', null], ['POST', '/ping/{token}/start', 'start', null],
    ['HEAD', '/ping/{token}/fail', 'fail', null], ['GET', '/ping/{token}/7', 'fail', 7],
    ['GET', '/api/push/{token}?status=up&msg=OK&ping=', 'success', null], ['GET', '/api/push/{token}', 'success', null],
    ['POST', '/api/push/{token}?status=down&msg=no&ping=12', 'fail', null],
    ['GET', '/api/push/{token}?status=&ping=5', 'success', null],
  ])('%s %s is another address of the heartbeat', async (method, path, kind, code) => {
    const monitor = await create();
    const response = await fetch(app.url + path.replace('{token}', monitor.heartbeat_token), { method });
    expect(response.status).toBe(200);
    expect(await storedPings(monitor.id)).toEqual([expect.objectContaining({ kind, exit_code: code })]);
  });

  test('/ping/{token}/log stores nothing, and refuses an unknown token', async () => {
    const monitor = await create();
    expect((await fetch(`${app.url}/ping/${monitor.heartbeat_token}/log`, { method: 'POST' })).status).toBe(200);
    expect(await storedPings(monitor.id)).toEqual([]);
    for (const path of ['/ping/unknown/log', '/ping/unknown', '/api/push/unknown']) {
      expect((await fetch(app.url + path)).status, path).toBe(404);
    }
  });

  test('accept any body and query, and ignore credentials', async () => {
    const monitor = await create();
    const requests: RequestInit[] = [
      {
        body: 'done in 3 s', headers: { 'content-type': 'text/plain' },
      }, { body: '{"not json', headers: { 'content-type': 'application/json' } },
      { body: new Uint8Array(200_000), headers: { 'content-type': 'application/octet-stream' } },
      { headers: { authorization: 'Bearer nonsense' } },
    ];
    for (const init of requests) {
      expect((await send(
        `${monitor.heartbeat_token}?rid=${randomUUID()}&msg=&host=a&host=b&tags[]=x`,
        { method: 'POST', ...init },
      )).status)
        .toBe(200);
    }
    expect(await storedPings(monitor.id)).toHaveLength(4);
  });

  test('with an unknown token or that of a deleted monitor get the same response', async () => {
    const gone = await create();
    await client.delete(`/api/monitors/${gone.id}`);
    const responses = await Promise.all([
      gone.heartbeat_token, 'x', randomUUID(), '0'.repeat(32), `${gone.heartbeat_token}/fail`, '$gt/3',
    ].map(async (path) => {
      const response = await send(path);
      return `${response.status} ${await response.text()}`;
    }));
    const body = { success: false, error: {
      code: 'RESOURCE_NOT_FOUND', message: 'Heartbeat not found', details: { resourceType: 'Heartbeat' },
    } };
    expect(new Set(responses)).toEqual(new Set([`404 ${JSON.stringify(body)}`]));
  });

  test.each(['256', '-1', '1.5', 'failed', '007x'])('with the exit code %s are refused', async (code) => {
    const monitor = await create();
    expect((await app.client.get(`/api/heartbeat/${monitor.heartbeat_token}/${code}`)).error.code).toBe(
      'VALIDATION_ERROR',
    );
    expect(await storedPings(monitor.id)).toEqual([]);
  });

  test('are ignored while the monitor is paused', async () => {
    const monitor = await create();
    await client.post(`/api/monitors/${monitor.id}/pause`);
    expect((await send(monitor.heartbeat_token)).status).toBe(200);
    expect(await storedPings(monitor.id)).toEqual([]);
    await client.post(`/api/monitors/${monitor.id}/resume`);
    expect((await send(monitor.heartbeat_token)).status).toBe(200);
    expect(await storedPings(monitor.id)).toHaveLength(1);
  });

  test('log no token, and are limited per address', async () => {
    const monitor = await create();
    for (const path of ['', '/fail', '/999', '/a/b']) {
      await send(monitor.heartbeat_token + path, { method: 'POST' });
    }
    await send(monitor.heartbeat_token, { method: 'PUT' });
    expect(logged.join('')).not.toContain(monitor.heartbeat_token);
    let status = 200;
    for (let count = 0; count < 500 && status === 200; count += 1) {
      ({ status } = await send(monitor.heartbeat_token));
    }
    expect(status).toBe(429);
  });
});
