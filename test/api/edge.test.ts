import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ActorError } from '../../shared/actor/actor-ref.ts';
import { AppError } from '../../controller/errors/app-error.ts';
import { defineRoute } from '../../controller/http/routing/route.ts';
import { isDatabaseUnavailable } from '../../controller/platform/mongo/mongo-errors.ts';
import { startMongoProxy } from '../helpers/fault-proxy.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { testMongo } from '../helpers/mongo.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';

const SECRET = 'mongodb://user:hunter2@db.internal:27017';

function failingRoute(
  path: string, failure: () => never,
  more: { failure?: { code: 'STATS_FETCH_FAILED'; message: string } } = {},
) {
  return defineRoute({
    method: 'GET', path, summary: path, tag: 'Test', auth: { access: 'public' }, errors: ['DATABASE_ERROR'],
    ...more,
    responses: { 200: z.strictObject({}) },
    handle: async () => failure(),
  });
}

describe('every response', () => {
  let app: TestApp;
  let tenant: Tenant;
  const lines: string[] = [];
  beforeAll(async () => {
    const sink = new Writable({ write: (chunk, _encoding, done) => (lines.push(String(chunk)), done()) });
    app = await makeApp({
      log: pino({ level: 'info' }, sink),
      routes: () => [
        failingRoute('/api/test/bug', () => {
          throw new TypeError(`cannot read ${SECRET}`);
        }),
        failingRoute('/api/test/named', () => {
          throw new TypeError(`cannot read ${SECRET}`);
        }, { failure: { code: 'STATS_FETCH_FAILED', message: 'The statistics could not be computed' } }),
        failingRoute('/api/test/thrown-500', () => {
          throw new AppError('DATABASE_ERROR', 'The database failed');
        }),
        failingRoute('/api/test/odd', () => {
          throw 'a string'; // oxlint-disable-line typescript/only-throw-error
        }),
      ],
    });
    tenant = await newTenant(app);
  });
  afterAll(() => app.close());

  test('repeats a valid X-Request-ID and replaces an invalid one', async () => {
    expect((await app.client.get('/healthz', { headers: { 'x-request-id': 'trace-7f.2:A_1' } })).headers.get(
      'x-request-id',
    ))
      .toBe('trace-7f.2:A_1');
    for (const bad of ['', 'a b', '<script>', 'x'.repeat(129), '-lead']) {
      const response = await app.client.get('/api/none', { headers: { 'x-request-id': bad } });
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('to an unknown path is 404 that contains only that path', async () => {
    const response = await app.client.get('/api/nothing/here?x=1');
    expect(response.status).toBe(404);
    expect(response.body).toEqual({ error: 'Not Found', path: '/api/nothing/here' });
    for (const path of [
      '/nothing', '/api', '/api/', '/API/monitors', '/api/monitorsx', '/api/monitors/%zz/stats/x',
    ]) {
      const other = await app.client.get(path);
      expect([other.status, other.body], path).toEqual([404, { error: 'Not Found', path }]);
    }
    const long = await app.client.get(`/api/${'x'.repeat(5000)}`);
    expect(long.body.path).toHaveLength(256);
    const markup = await app.client.get('/api/<script>alert(1)</script>');
    expect(markup.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test('to an unsupported method is 405 with the supported ones', async () => {
    const response = await app.client.send('DELETE', '/api/monitors');
    expect([response.status, response.code, response.body.success]).toEqual([405, 'METHOD_NOT_ALLOWED', false]);
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
    expect(response.body).toEqual({
      success: false, error: { code: 'METHOD_NOT_ALLOWED', message: expect.any(String) },
    });
    const odd = await app.client.send('PROPFIND', '/api/monitors');
    expect(odd.status).toBe(405);
  });

  test.each([
    ['PUT', '/api/monitors/test', 'OPTIONS, POST'], ['PATCH', '/api/monitors/stats', 'GET, HEAD, OPTIONS'],
    ['PUT', '/api/probes/enrol', 'OPTIONS, POST'],
  ])('to %s %s is 405, though the last part could be an id', async (method, path, allowed) => {
    const response = await app.client.send(method, path);
    expect([response.status, response.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(response.headers.get('allow')).toBe(allowed);
  });

  test('to OPTIONS grants no other origin', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const response = await app.client.send('OPTIONS', '/api/monitors', { headers });
    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect((await tenant.readKey.get(
      '/api/monitors', { headers: { origin: 'https://evil.example' } },
    )).headers.has('access-control-allow-origin'))
      .toBe(false);
    expect((await app.client.send('OPTIONS', '/api/none')).status).toBe(404);
  });

  test('to HEAD equals the response to GET without the body, also for a read key', async () => {
    const get = await tenant.readKey.get('/api/monitors');
    const head = await tenant.readKey.send('HEAD', '/api/monitors');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
    expect((await app.client.send('HEAD', '/api/monitors')).status).toBe(401);
  });

  test('to an internal error hides the cause, which is logged once with its stack', async () => {
    for (const [path, code, message] of [
      ['/api/test/bug', 'INTERNAL_ERROR', 'An unexpected error occurred'],
      ['/api/test/named', 'STATS_FETCH_FAILED', 'The statistics could not be computed'],
      ['/api/test/thrown-500', 'DATABASE_ERROR', 'The database failed'],
      ['/api/test/odd', 'INTERNAL_ERROR', 'An unexpected error occurred'],
    ] as const) {
      lines.length = 0;
      const response = await app.client.get(path, { headers: { 'x-request-id': 'find-me' } });
      expect(response.status).toBe(500);
      expect(response.body).toEqual({ success: false, error: { code, message } });
      expect(lines.filter((line) => line.includes('find-me'))).toHaveLength(1);
      if (path !== '/api/test/odd') expect(lines.join('')).toContain('edge.test.ts');
    }
  });

  test('ignores method override headers', async () => {
    const response = await tenant.readKey.get(
      '/api/monitors', { headers: { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' } },
    );
    expect(response.status).toBe(200);
    expect(
      (await tenant.readKey.post('/api/monitors', {}, { headers: { 'x-http-method-override': 'GET' } })).code,
    ).toBe('READ_ONLY_API_KEY');
  });
});

describe('without its database', () => {
  let silent: Server;
  const sockets = new Set<Socket>();
  beforeAll(async () => {
    silent = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  test('the driver never waits five seconds or longer', () => {
    const { options } = checkedMongo('mongodb://127.0.0.1:1/farwatch').db.client;
    const { serverSelectionTimeoutMS, waitQueueTimeoutMS, connectTimeoutMS, socketTimeoutMS } = options;
    expect(
      Math.max(serverSelectionTimeoutMS, waitQueueTimeoutMS, connectTimeoutMS, socketTimeoutMS),
    ).toBeLessThan(5000);
    expect([options.retryReads, options.retryWrites]).toEqual([false, false]);
  });

  test.concurrent.each([
    ['gone', () => 'no.such.host.invalid'], ['refusing', () => '127.0.0.1:1'],
    ['silent', () => `127.0.0.1:${(silent.address() as AddressInfo).port}`],
  ])(
    'a database that is %s counts as unavailable',
    async (_what, host) => {
      const mongo = checkedMongo(`mongodb://${host()}/farwatch`);
      const failure = await mongo.db.collection('users').findOne({}).catch((error: unknown) => error);
      expect(isDatabaseUnavailable(failure)).toBe(true);
      await mongo.close();
    },
  );

  test('a request gets 503 while the database hangs, and succeeds afterwards', async () => {
    const store = await testMongo();
    const proxy = await startMongoProxy(store.url);
    const app = await makeApp({ mongoUrl: proxy.url });
    const tenant = await newTenant(app);
    proxy.drop();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      for (const response of await Promise.all([
        tenant.readKey.get('/api/monitors'), tenant.owner.client.get('/api/auth/me'),
        tenant.writeKey.post('/api/monitors', {}),
      ])) {
        expect(response.code).toBe('SERVICE_UNAVAILABLE');
      }
    }
    proxy.heal();
    await until(async () => (await tenant.readKey.get('/api/monitors')).status === 200);
    await app.close();
    await proxy.close();
    await store.stop();
  });

  test('a request gets 503 when the database is down, which affects readiness but not health', async () => {
    const store = await testMongo();
    const proxy = await startMongoProxy(store.url);
    const app = await makeApp({ mongoUrl: proxy.url });
    const tenant = await newTenant(app);
    // Without background work no shard is claimed.
    const others = { nats: 'ok', shards: 'failed' };
    expect((await app.client.get('/readyz')).error.details).toEqual({ checks: { ...others, mongodb: 'ok' } });
    await proxy.close();
    for (const response of await Promise.all([
      tenant.readKey.get('/api/monitors'),
      tenant.owner.client.get('/api/auth/me'),
      app.client.post('/api/auth/login', { email: tenant.owner.email, password: 'whatever' }),
    ])) {
      expect([response.status, response.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(response.text).not.toMatch(/mongo|sock|ECONN/i);
    }
    expect((await app.client.get('/healthz')).data).toEqual({ status: 'ok' });
    const ready = await app.client.get('/readyz');
    expect([ready.status, ready.error.details]).toEqual([503, { checks: { ...others, mongodb: 'failed' } }]);
    await app.close();
    await store.stop();
  });
});

test('a request gets 503 when an actor does not respond', async () => {
  const app = await makeApp({
    routes: () => [
      defineRoute({
        method: 'GET', path: '/api/test/busy', summary: 'busy', tag: 'Test', auth: { access: 'public' },
        responses: { 200: z.strictObject({}) },
        handle: () => Promise.reject(new ActorError('timeout')),
      }),
    ],
  });
  const response = await app.client.get('/api/test/busy');
  expect([response.status, response.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect(response.text).not.toMatch(/actor/i);
  await app.close();
});

describe('a server that closes', () => {
  test('finishes the current request and accepts no new one', async () => {
    let finish = () => {};
    const inHand = new Promise<void>((resolve) => (finish = resolve));
    let isEntered = false;
    const app = await makeApp({
      routes: () => [
        defineRoute({
          method: 'GET', path: '/api/test/slow', summary: 'slow', tag: 'Test', auth: { access: 'public' },
          responses: { 200: z.strictObject({ done: z.boolean() }) },
          handle: async () => {
            isEntered = true;
            await inHand;
            return { status: 200, data: { done: true } };
          },
        }),
      ],
    });
    const slow = app.client.get('/api/test/slow');
    await until(() => isEntered);
    const closed = app.close();
    await until(() => fetch(`${app.url}/healthz`).then(() => false, () => true));
    finish();
    const response = await slow;
    expect(response.data).toEqual({ done: true });
    expect(response.headers.get('connection')).toBe('close');
    await closed;
  });

  test('sends a response to the end, even to a slow reader', async () => {
    // More than the system buffers for a reader, so the server must.
    const text = 'x'.repeat(12_000_000);
    const app = await makeApp({
      routes: () => [
        defineRoute({
          method: 'GET', path: '/api/test/long', summary: 'long', tag: 'Test', auth: { access: 'public' },
          responses: { 200: z.strictObject({ text: z.string() }) },
          handle: async () => ({ status: 200, data: { text } }),
        }),
      ],
    });
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    socket.write('GET /api/test/long HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'readable');
    const closing = app.close();
    await until(() => fetch(`${app.url}/healthz`).then(() => false, () => true));
    expect((await buffer(socket)).length).toBeGreaterThan(text.length);
    await closing;
  });

  test('aborts requests that do not finish in time', async () => {
    const limits = {
      headersTimeoutMs: 10_000, requestTimeoutMs: 30_000, maxHeaderBytes: 16_384, maxConnections: 100,
      maxConnectionsOfAddress: 100, drainTimeoutMs: 200,
    };
    const app = await makeApp({
      limits,
      routes: () => [
        defineRoute({
          method: 'GET', path: '/api/test/never', summary: 'never', tag: 'Test', auth: { access: 'public' },
          responses: { 200: z.strictObject({}) },
          handle: () => new Promise<never>(() => undefined),
        }),
      ],
    });
    const never = fetch(`${app.url}/api/test/never`).then(() => 'completed', () => 'aborted');
    await until(async () => (await fetch(`${app.url}/healthz`)).ok);
    await app.close();
    expect(await never).toBe('aborted');
  });
});

test('metrics count requests by declared route', async () => {
  const app = await makeApp();
  await app.client.get('/healthz');
  await app.client.get('/api/made-up-1');
  await app.client.send('PROPFIND', '/api/made-up-2');
  const { text } = await app.client.get('/metrics');
  expect(text).toContain('farwatch_http_requests_total{method="GET",route="/healthz",status="200"} 1');
  expect(text).toContain('farwatch_http_requests_total{method="other",route="none",status="404"} 1');
  expect(text).not.toContain('made-up');
  await app.close();
});
