import { describe, expect, test } from 'vitest';
import { systemClock } from '../../shared/time.ts';
import type { ApiClient } from '../helpers/api-client.ts';
import { addRegion, makeApp } from '../helpers/make-app.ts';
import { newTenant } from '../helpers/tenants.ts';

const monitor = { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 300 };
const createMany = (client: ApiClient, count: number) =>
  Promise.all(Array.from({ length: count }, () => client.post('/api/monitors', monitor)));

describe('the plan', () => {
  test('allows exactly its number of monitors, even for concurrent requests', async () => {
    const app = await makeApp({ env: { DEFAULT_PLAN: 'free' } });
    const tenant = await newTenant(app);
    const responses = await createMany(tenant.writeKey, 100);
    expect(responses.filter((response) => response.status === 201)).toHaveLength(50);
    const refused = responses.filter((response) => response.code === 'MONITOR_LIMIT_REACHED');
    expect(refused).toHaveLength(50);
    expect(refused[0]?.error).toMatchObject({
      message: 'This plan allows 50 monitors', details: { limit: 50, usage: 50 },
    });
    expect(await app.monitors.countOfOrganization(tenant.organizationId)).toBe(50);
    await app.close();
  });

  test('frees the place of a deleted monitor, once', async () => {
    const app = await makeApp({ plansJson: '{"scale":{"monitors":3}}' });
    const tenant = await newTenant(app);
    const [first] = await createMany(tenant.writeKey, 3);
    const path = `/api/monitors/${first?.data.monitor.id}`;
    const deleted = await Promise.all(Array.from({ length: 5 }, () => tenant.writeKey.delete(path)));
    expect(deleted.filter((response) => response.status === 200)).toHaveLength(1);
    expect((await createMany(tenant.writeKey, 5)).filter((response) => response.status === 201)).toHaveLength(1);
    await app.close();
  });

  test('corrects a counter that a crash left too high, once it has been unchanged for a minute', async () => {
    let offsetMs = 0;
    const app = await makeApp({
      plansJson: '{"scale":{"monitors":3}}', clock: { ...systemClock, now: () => Date.now() + offsetMs },
    });
    const tenant = await newTenant(app);
    await createMany(tenant.writeKey, 2);
    await app.accounts.quota.reserve(tenant.organizationId, 'monitors');
    expect((await createMany(tenant.writeKey, 1))[0]?.code).toBe('MONITOR_LIMIT_REACHED');
    offsetMs = 61_000;
    const responses = await createMany(tenant.writeKey, 4);
    expect(responses.filter((response) => response.status === 201)).toHaveLength(1);
    expect(await app.monitors.countOfOrganization(tenant.organizationId)).toBe(3);
    await app.close();
  });

  test('sets the shortest interval and the number of regions', async () => {
    const app = await makeApp({ env: { DEFAULT_PLAN: 'free' } });
    const tenant = await newTenant(app);
    for (const id of ['eu-1', 'eu-2']) await addRegion(app, id, { city: 'X' });
    const short = await tenant.writeKey.post('/api/monitors', { ...monitor, interval_seconds: 299 });
    expect([short.status, short.code, short.error.details]).toEqual([
      403, 'INTERVAL_TOO_SHORT', { limit: 300, usage: 299 },
    ]);
    const { id } = (await tenant.writeKey.post(
      '/api/monitors', { ...monitor, monitoring_regions: ['eu-1'] },
    )).data.monitor;
    expect((await tenant.writeKey.patch(`/api/monitors/${id}`, { interval_seconds: 60 })).code).toBe(
      'INTERVAL_TOO_SHORT',
    );
    const beat = { name: 'Job', type: 'HEARTBEAT', grace_period: 60 };
    const held =
      await tenant.writeKey.post('/api/monitors', { ...beat, heartbeat_interval: 60, interval_seconds: 60 });
    expect([held.code, held.error.details]).toEqual(['INTERVAL_TOO_SHORT', { limit: 300, usage: 60 }]);
    // The interval of pings is not a check interval.
    expect(
      (await tenant.writeKey.post('/api/monitors', { ...beat, heartbeat_interval: 30 })).data.monitor,
    ).toMatchObject({ heartbeat_interval: 30, interval_seconds: 30 });
    expect((await tenant.writeKey.post('/api/monitors', { ...beat, heartbeat_interval: 29 })).code).toBe(
      'VALIDATION_FAILED',
    );
    const wide = await tenant.writeKey.patch(`/api/monitors/${id}`, { monitoring_regions: ['eu-1', 'eu-2'] });
    expect([wide.code, wide.error.details]).toEqual(['PLAN_LIMIT_EXCEEDED', { limit: 1, usage: 2 }]);
    const two = await tenant.writeKey.post('/api/monitors', { ...monitor, confirmation_policy: { regions: 2 } });
    expect(two.error.details).toMatchObject([
      { message: 'Requires 2 regions, but this plan allows 1 per monitor' },
    ]);
    await app.close();
  });

  test('yields to an instance minimum below 30 seconds; a higher minimum applies in addition', async () => {
    const app = await makeApp({ env: { MIN_INTERVAL_SECONDS: '1' } });
    const tenant = await newTenant(app);
    const made = await tenant.writeKey.post('/api/monitors', { ...monitor, interval_seconds: 1 });
    expect([made.status, made.data?.monitor.timeout_ms]).toEqual([201, 1000]);
    expect((await tenant.writeKey.post('/api/monitors', { ...monitor, interval_seconds: 0 })).code).toBe(
      'VALIDATION_ERROR',
    );
    expect((await tenant.owner.client.get('/api/billing')).data.limits.min_interval_seconds).toBe(1);
    await app.close();
    const strict = await makeApp({ env: { MIN_INTERVAL_SECONDS: '120' } });
    const other = await newTenant(strict);
    expect((await other.writeKey.post('/api/monitors', { ...monitor, interval_seconds: 119 })).code).toBe(
      'VALIDATION_ERROR',
    );
    expect((await other.writeKey.post('/api/monitors', { ...monitor, interval_seconds: 120 })).status).toBe(
      201,
    );
    await strict.close();
  });
});
