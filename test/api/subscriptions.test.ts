import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';

const LIMIT = 3;

let app: TestApp;
let tenant: Tenant;
let other: Tenant;

beforeAll(async () => {
  app = await makeApp({
    plansJson: JSON.stringify({ scale: { subscriptions: LIMIT } }),
    env: { NATS_PUBLIC_URL: 'nats://bus.example:4222' },
  });
  [tenant, other] = [await newTenant(app), await newTenant(app)];
});
afterAll(() => app.close());

test('the response contains everything that a client needs, and the seed only once', async () => {
  const { client } = tenant.owner;
  const response = await client.post('/api/subscriptions', { name: ' Archive ' });
  expect(response.status, response.text).toBe(201);
  const { subscription, seed, user, nats_url } = response.data;
  const { id } = subscription;
  expect(subscription).toEqual({
    id, name: 'Archive', user, domain: 'FARWATCH', stream: 'RAW', consumer: `subscriber-${id}`,
    subjects: [`raw.${tenant.organizationId}.>`, `events.${tenant.organizationId}.>`],
    inbox_prefix: `_INBOX_${id}`, created_by: tenant.owner.userId, created_at: expect.any(String) as string,
  });
  expect([seed, user, nats_url]).toEqual([
    expect.stringMatching(/^SU[A-Z2-7]{56}$/), expect.stringMatching(/^U[A-Z2-7]{55}$/),
    'nats://bus.example:4222',
  ]);
  expect((await client.get('/api/subscriptions')).data).toEqual({ subscriptions: [subscription] });
  expect((await client.get(`/api/subscriptions/${id}`)).data).toEqual({ subscription });
  const stored = await app.db.collection('subscriptions').find().toArray();
  expect(JSON.stringify(stored)).not.toContain(seed);
  const audit = (await client.get('/api/audit-log')).data.entries;
  expect(audit[0]).toMatchObject({
    action: 'subscription.created', resource: { type: 'subscription', id }, fields: ['name'],
  });
  expect((await client.delete(`/api/subscriptions/${id}`)).data).toEqual({ message: 'Subscription deleted' });
  expect((await client.get('/api/audit-log')).data.entries[0]).toMatchObject({
    action: 'subscription.deleted', resource: { type: 'subscription', id },
  });
  expect((await client.delete(`/api/subscriptions/${id}`)).code).toBe('RESOURCE_NOT_FOUND');
});

test('only owners and admins can list and create subscriptions, with a session', async () => {
  const member = await newMember(app, tenant, 'member');
  for (const client of [member.client, tenant.writeKey]) {
    expect((await client.get('/api/subscriptions')).status).toBe(403);
    expect((await client.post('/api/subscriptions', { name: 'x' })).status).toBe(403);
  }
});

test("another organization's subscription is unknown", async () => {
  const made = (await tenant.owner.client.post('/api/subscriptions', { name: 'Ours' })).data.subscription;
  for (const method of ['get', 'delete'] as const) {
    expect((await other.owner.client[method](`/api/subscriptions/${made.id}`)).code).toBe('RESOURCE_NOT_FOUND');
  }
  expect((await other.owner.client.get('/api/subscriptions')).data).toEqual({ subscriptions: [] });
  await tenant.owner.client.delete(`/api/subscriptions/${made.id}`);
});

test('an organization can have as many as its limit, even with concurrent requests', async () => {
  const { client } = tenant.owner;
  const responses = await Promise.all(
    Array.from({ length: 3 * LIMIT }, () => client.post('/api/subscriptions', { name: 'One' })),
  );
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(LIMIT);
  expect(responses.find(({ status }) => status === 403)?.error).toEqual({
    code: 'FAIR_USE_LIMIT_REACHED', message: `An organization can have at most ${LIMIT} subscriptions`,
    details: { limit: LIMIT, usage: LIMIT },
  });
  expect((await client.get('/api/billing')).data.usage).toMatchObject({ subscriptions: LIMIT });
  const [first] = (await client.get('/api/subscriptions')).data.subscriptions;
  await client.delete(`/api/subscriptions/${first.id}`);
  expect((await client.post('/api/subscriptions', { name: 'One' })).status).toBe(201);
  expect((await other.owner.client.post('/api/subscriptions', { name: 'One' })).status).toBe(201);
});

test.each([{}, { name: '' }, { name: 'a\nb' }, { name: 'x', seed: 'SU' }])('%j is rejected', async (body) => {
  expect((await tenant.owner.client.post('/api/subscriptions', body)).code).toBe('VALIDATION_ERROR');
});
