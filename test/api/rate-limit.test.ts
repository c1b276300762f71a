import { describe, expect, test } from 'vitest';
import { createStartupServer } from '../../controller/http/server/startup-server.ts';
import { systemClock } from '../../shared/time.ts';
import { makeApp } from '../helpers/make-app.ts';
import { newTenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

const LIMIT = 20;

describe('the rate limit', () => {
  test('counts down with every response, then returns 429 until the window ends', async () => {
    const app = await makeApp({ env: { RATE_LIMIT: String(LIMIT) } });
    const seen: number[] = [];
    for (const [method, path] of [
      ['GET', '/api/none'], ['POST', '/api/auth/login'], ['GET', '/api/monitors'],
      ['DELETE', '/api/monitors'], ['GET', '/api/docs'],
    ] as const) {
      const response = await app.client.send(method, path);
      expect(response.headers.get('x-ratelimit-limit')).toBe(String(LIMIT));
      const reset = Number(response.headers.get('x-ratelimit-reset'));
      expect(reset).toBeGreaterThan(systemClock.now() / 1000 + 14 * 60);
      expect(reset).toBeLessThanOrEqual(systemClock.now() / 1000 + 15 * 60 + 1);
      seen.push(Number(response.headers.get('x-ratelimit-remaining')));
    }
    expect(seen).toEqual([19, 18, 17, 16, 15]);
    for (let n = 5; n < LIMIT; n += 1) await app.client.get('/api/none');
    for (const path of ['/api/none', '/api/monitors', '/api/docs']) {
      const response = await app.client.get(path);
      expect([response.status, response.code], path).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      expect(response.error.retryAfter).toBeGreaterThan(14 * 60);
      expect(response.headers.get('retry-after')).toBe(String(response.error.retryAfter));
      expect(response.headers.get('x-ratelimit-remaining')).toBe('0');
    }
    expect((await app.client.get('/healthz')).status).toBe(200);
    expect((await app.client.get('/metrics')).status).toBe(200);
    await app.close();
  });

  test('is shared by all sessions and keys of a user, but not with others', async () => {
    const app = await makeApp({ env: { RATE_LIMIT: String(LIMIT) } });
    const tenant = await newTenant(app);
    const clients = [tenant.readKey, tenant.writeKey, tenant.owner.client];
    const statuses: number[] = [];
    for (let n = 0; n < LIMIT + 3; n += 1) {
      statuses.push((await (clients[n % 3] as typeof tenant.readKey).get('/api/projects')).status);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(LIMIT);
    expect(statuses.slice(-3)).toEqual([429, 429, 429]);
    const other = await newTenant(app);
    expect((await other.readKey.get('/api/projects')).status).toBe(200);
    await app.close();
  });

  test('counts invalid credentials by address', async () => {
    const app = await makeApp({ env: { RATE_LIMIT: '5' } });
    const guess = (n: number) =>
      app.client.get('/api/monitors', { headers: { 'x-api-key': `fw_${String(n).repeat(64)}` } });
    for (let n = 0; n < 5; n += 1) expect((await guess(n)).code).toBe('INVALID_API_KEY');
    expect((await guess(5)).code).toBe('RATE_LIMIT_EXCEEDED');
    await app.close();
  });

  test('refuses guessed keys and tokens without a database query once it is used up', async () => {
    let commands = 0;
    const app = await makeApp({ env: { RATE_LIMIT: String(LIMIT) }, onCommand: () => (commands += 1) });
    const tenant = await newTenant(app);
    // Written in the background at the first use of a key.
    const inUse = async () => (await tenant.readKey.get('/api/projects')).status;
    expect(await inUse()).toBe(200);
    await until(async () => await app.db.collection('api_keys').findOne({ last_used_at: { $ne: null } }) !== null);
    const guess = (at: number) => {
      const secret = String(at).padStart(64, '0');
      const [name, value] = at % 2 === 0 ? ['x-api-key', `fw_${secret}`] : ['authorization', `Bearer ${secret}`];
      return app.client.get('/api/monitors', { headers: { [name as string]: value as string } });
    };
    const results = await Promise.all(Array.from({ length: LIMIT + 1 }, (_none, at) => guess(at)));
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set([401, 429]));
    const before = commands;
    const refused = await Promise.all(Array.from({ length: 3 * LIMIT }, (_none, at) => guess(LIMIT + 1 + at)));
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['RATE_LIMIT_EXCEEDED']));
    expect(commands).toBe(before);
    // A key in use is not shut out by guesses from its address, and its own limit costs no query either.
    while (await inUse() === 200);
    const atLimit = commands;
    for (let n = 0; n < 5; n += 1) expect(await inUse()).toBe(429);
    expect(commands).toBe(atLimit);
    await app.close();
  });

  test('looks up at most as many concurrent guesses as the limit allows', async () => {
    const queries: string[] = [];
    const app = await makeApp({
      env: { RATE_LIMIT: '5' },
      onCommand: (command) => command['find'] === 'api_keys' && queries.push('api_keys'),
    });
    const guesses = Array.from({ length: 50 }, (_none, at) => app.client.get(
      '/api/monitors', { headers: { 'x-api-key': `fw_${String(at).padStart(64, '0')}` } },
    ));
    const codes = (await Promise.all(guesses)).map(({ code }) => code);
    expect(codes.filter((code) => code === 'INVALID_API_KEY')).toHaveLength(5);
    expect(queries).toHaveLength(5);
    await app.close();
  });

  test('counts a revoked key by address, like any other guess', async () => {
    let commands = 0;
    const app = await makeApp({ env: { RATE_LIMIT: String(LIMIT) }, onCommand: () => (commands += 1) });
    const tenant = await newTenant(app);
    const use = async () => (await tenant.readKey.get('/api/projects')).status;
    expect(await use()).toBe(200);
    const { keys } = (await tenant.owner.client.get('/api/auth/api-keys')).data;
    const { id } = keys.find(({ name }: { name: string }) => name === 'reader');
    expect((await tenant.owner.client.delete(`/api/auth/api-keys/${id}`)).status).toBe(200);
    const statuses: number[] = [];
    for (let n = 0; n <= LIMIT; n += 1) statuses.push(await use());
    expect(statuses.slice(0, -1)).toEqual(Array.from({ length: LIMIT }, () => 401));
    const before = commands;
    expect([statuses.at(-1), await use()]).toEqual([429, 429]);
    expect(commands).toBe(before);
    expect((await tenant.owner.client.get('/api/projects')).status).toBe(200);
    await app.close();
  });

  test('cannot be evaded with forged headers', async () => {
    const app = await makeApp({ env: { RATE_LIMIT: '5' } });
    const statuses: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      const ip = `203.0.113.${n}`;
      const headers = {
        'x-forwarded-for': ip, 'x-real-ip': ip, forwarded: `for=${ip}`, 'cf-connecting-ip': ip,
        'x-client-ip': ip,
      };
      statuses.push((await app.client.get('/api/none', { headers })).status);
    }
    expect(statuses).toEqual([404, 404, 404, 404, 404, 429, 429, 429]);
    await app.close();
  });

  test('trusts the configured number of proxies, from the right', async () => {
    const app = await makeApp({ env: { RATE_LIMIT: '3', TRUST_PROXY: '1' } });
    const as = (forwarded: string) => app.client.get(
      '/api/none', { headers: { 'x-forwarded-for': forwarded } },
    ).then((response) => response.status);
    expect(await Promise.all([as('1.1.1.1, 9.9.9.9'), as('2.2.2.2, 9.9.9.9'), as('9.9.9.9')])).toEqual([
      404, 404, 404,
    ]);
    expect(await as('3.3.3.3, 9.9.9.9')).toBe(429);
    expect(await as('9.9.9.9, 8.8.8.8')).toBe(404);
    const v6 =
      await Promise.all(['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:0db8:0001:0002:3::3'].map(as));
    expect(v6).toEqual([404, 404, 404]);
    expect(await as('2001:db8:1:2:9:9:9:9')).toBe(429);
    expect(await as('2001:db8:1:3::1')).toBe(404);
    // Together with the four requests of two networks, eight more from others in the same /56.
    const others = [];
    for (let at = 4; at < 14; at += 1) others.push(await as(`2001:db8:1:${at.toString(16)}::1`));
    expect(others).toEqual([...Array.from({ length: 8 }, () => 404), 429, 429]);
    expect(await as('2001:db8:1:100::1')).toBe(404);
    await app.close();
  });
});

test('every response while the service starts has the rate-limit headers', async () => {
  const server = createStartupServer({ clock: systemClock, trustProxy: 0, rateLimit: 77, find: () => Promise.resolve(null) });
  const url = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
  try {
    const requests = [
      [503, `${url}/api/monitors`, {}], [200, `${url}/healthz`, {}],
      [431, `${url}/`, { headers: { 'x-large': 'x'.repeat(20_000) } }],
    ] as const;
    for (const [status, address, request] of requests) {
      const { status: found, headers } = await fetch(address, request);
      const limits = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after'].map((name) => headers.get(name));
      expect([found, ...limits], address).toEqual([status, '77', '77', status === 200 ? null : '5']);
      expect(Number(headers.get('x-ratelimit-reset')) * 1000).toBeGreaterThan(Date.now());
      expect(headers.get('x-request-id')).toBeTruthy();
    }
  } finally {
    await server.close();
  }
});
