import { describe, expect, test } from 'vitest';
import { systemClock } from '../../shared/time.ts';
import { makeApp } from '../helpers/make-app.ts';
import { newTenant } from '../helpers/tenants.ts';

const LIMIT = 20;

describe('the rate limit', () => {
  test('counts down with every response, then answers 429 until the window ends', async () => {
    const app = await makeApp({ env: { RATE_LIMIT: String(LIMIT) } });
    const seen: number[] = [];
    for (const [method, path] of [
      ['GET', '/api/none'], ['POST', '/api/auth/login'], ['GET', '/api/monitors'],
      ['DELETE', '/api/monitors'], ['GET', '/api/docs'],
    ] as const) {
      const answer = await app.client.send(method, path);
      expect(answer.headers.get('x-ratelimit-limit')).toBe(String(LIMIT));
      const reset = Number(answer.headers.get('x-ratelimit-reset'));
      expect(reset).toBeGreaterThan(systemClock.now() / 1000 + 14 * 60);
      expect(reset).toBeLessThanOrEqual(systemClock.now() / 1000 + 15 * 60 + 1);
      seen.push(Number(answer.headers.get('x-ratelimit-remaining')));
    }
    expect(seen).toEqual([19, 18, 17, 16, 15]);
    for (let n = 5; n < LIMIT; n += 1) await app.client.get('/api/none');
    for (const path of ['/api/none', '/api/monitors', '/api/docs']) {
      const answer = await app.client.get(path);
      expect([answer.status, answer.code], path).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      expect(answer.error.retryAfter).toBeGreaterThan(14 * 60);
      expect(answer.headers.get('retry-after')).toBe(String(answer.error.retryAfter));
      expect(answer.headers.get('x-ratelimit-remaining')).toBe('0');
    }
    expect((await app.client.get('/healthz')).status).toBe(200);
    expect((await app.client.get('/metrics')).status).toBe(200);
    await app.close();
  });

  test('is shared by all sessions and keys of a user, and by nobody else', async () => {
    const app = await makeApp({ env: { RATE_LIMIT: String(LIMIT) } });
    const tenant = await newTenant(app);
    const clients = [tenant.readKey, tenant.writeKey, tenant.owner.client];
    const statuses: number[] = [];
    for (let n = 0; n < LIMIT + 3; n += 1) {
      statuses.push((await (clients[n % 3] as typeof tenant.readKey).get('/api/projects')).status);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(LIMIT - 2);
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
    ).then((answer) => answer.status);
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
    await app.close();
  });
});
