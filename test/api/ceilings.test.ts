import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiClient } from '../helpers/api-client.ts';
import { EventClient } from '../helpers/event-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

const LIMIT = 5;
const atOnce = <T>(count: number, send: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_none, at) => send(at)));

let app: TestApp;
/** The first account is the operator. */
let operator: ApiClient;

beforeAll(async () => {
  const limits = { regions: LIMIT, probes: LIMIT, event_streams: LIMIT };
  app = await makeApp({ plansJson: JSON.stringify({ scale: limits }) });
  operator = (await newTenant(app)).owner.client;
});
afterAll(() => app.close());

let number = 0;
/** Region ids are unique in the installation. */
const nextRegion = () => ({ id: `region-${number++}`, name: 'R', city: 'Oslo', country: 'NO' });
const usageOf = async ({ owner }: Tenant) => (await owner.client.get('/api/billing')).data.usage;

test('an organization can create exactly as many regions as its ceiling, even with concurrent requests', async () => {
  const [tenant, other] = [await newTenant(app), await newTenant(app)];
  const responses = await atOnce(20, () => tenant.owner.client.post('/api/regions', nextRegion()));
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(LIMIT);
  const refused = responses.filter(({ status }) => status === 403);
  expect(refused).toHaveLength(20 - LIMIT);
  expect(refused[0]?.error).toEqual({
    code: 'FAIR_USE_LIMIT_REACHED', message: `An organization can have at most ${LIMIT} private regions`,
    details: { limit: LIMIT, usage: LIMIT },
  });
  expect(await usageOf(tenant)).toMatchObject({ regions: LIMIT });
  expect((await other.owner.client.post('/api/regions', nextRegion())).status).toBe(201);

  const made = responses.find(({ status }) => status === 201)?.data.region.id;
  const deleted = await atOnce(4, () => tenant.owner.client.delete(`/api/regions/${made}`));
  expect(deleted.filter(({ status }) => status === 200)).toHaveLength(1);
  const again = await atOnce(4, () => tenant.owner.client.post('/api/regions', nextRegion()));
  expect(again.filter(({ status }) => status === 201)).toHaveLength(1);
});

test('an organization can create exactly as many probes as its ceiling, even with concurrent requests', async () => {
  const tenant = await newTenant(app);
  const { id: region_id } = (await tenant.owner.client.post('/api/regions', nextRegion())).data.region;
  const register = (at: number) =>
    tenant.owner.client.post('/api/probes', { region_id, name: `probe-${at}` });
  const responses = await atOnce(20, register);
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(LIMIT);
  expect(responses.filter(({ code }) => code === 'FAIR_USE_LIMIT_REACHED')).toHaveLength(20 - LIMIT);
  expect(await usageOf(tenant)).toMatchObject({ probes: LIMIT });

  const made = responses.find(({ status }) => status === 201)?.data.probe.id;
  const deleted = await atOnce(4, () => tenant.owner.client.delete(`/api/probes/${made}`));
  expect(deleted.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await register(30)).status).toBe(201);
  expect((await register(31)).code).toBe('FAIR_USE_LIMIT_REACHED');
});

test('a rejected name or id uses up no place', async () => {
  const tenant = await newTenant(app);
  const region = nextRegion();
  await tenant.owner.client.post('/api/regions', region);
  await tenant.owner.client.post('/api/probes', { region_id: region.id, name: 'one' });
  for (let at = 0; at < LIMIT; at += 1) {
    const [sameId, sameName] = await Promise.all([
      tenant.owner.client.post('/api/regions', region),
      tenant.owner.client.post('/api/probes', { region_id: region.id, name: 'one' }),
    ]);
    expect([sameId.code, sameName.code]).toEqual(['RESOURCE_ALREADY_EXISTS', 'RESOURCE_ALREADY_EXISTS']);
  }
  const rest = await atOnce(LIMIT, () => tenant.owner.client.post('/api/regions', nextRegion()));
  expect(rest.filter(({ status }) => status === 201)).toHaveLength(LIMIT - 1);
});

test('the operator adds shared regions and their probes without a ceiling', async () => {
  for (let at = 0; at <= LIMIT; at += 1) {
    const region = { ...nextRegion(), visibility: 'shared' };
    expect((await operator.post('/api/regions', region)).status).toBe(201);
    expect((await operator.post('/api/probes', { region_id: region.id, name: 'one' })).status).toBe(201);
  }
});

test('regions created before the ceiling existed count', async () => {
  const tenant = await newTenant(app);
  for (let at = 0; at < LIMIT - 1; at += 1) await tenant.owner.client.post('/api/regions', nextRegion());
  await app.db.collection<{ _id: string }>('usage').updateOne(
    { _id: tenant.organizationId }, { $unset: { regions: '' } },
  );
  const responses = await atOnce(5, () => tenant.owner.client.post('/api/regions', nextRegion()));
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
});

test('an organization can open at most as many event streams as its ceiling', async () => {
  const [tenant, other] = [await newTenant(app), await newTenant(app)];
  const openStream = (of: Tenant) => EventClient.open(app.url, { 'x-api-key': of.readKeyText }, null);
  const clients = await atOnce(LIMIT * 2, () => openStream(tenant));
  expect(clients.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
  const refused = clients.find(({ status }) => status === 403);
  expect(refused?.raw).toContain('FAIR_USE_LIMIT_REACHED');
  expect(refused?.raw).toContain(`at most ${LIMIT} open event streams`);
  expect(await usageOf(tenant)).toMatchObject({ event_streams: LIMIT });
  const foreign = await openStream(other);
  expect(foreign.status).toBe(200);
  for (const client of [...clients, foreign]) client.close();
});

test('a plan whose ceilings are below the usage is rejected', async () => {
  const small = await makeApp({ plansJson: '{"free":{"regions":0}}' });
  const { owner } = await newTenant(small);
  await owner.client.post('/api/regions', nextRegion());
  const refused = await owner.client.put('/api/billing/plan', { plan: 'free' });
  expect([refused.code, refused.error.details.exceeded]).toEqual([
    'CONFLICT', [{ resource: 'regions', usage: 1, limit: 0 }],
  ]);
  await small.close();
});
