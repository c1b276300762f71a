import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeApp } from '../helpers/make-app.ts';
import { newMember, newTenant } from '../helpers/tenants.ts';

test('billing shows plan, limits and usage, and the owner can switch to plans that fit', async () => {
  const app = await makeApp({ plansJson: '{"free":{"monitors":1}}', env: { DEFAULT_PLAN: 'pro' } });
  const tenant = await newTenant(app);
  const admin = await newMember(app, tenant, 'admin');
  const before = await admin.client.get('/api/billing');
  expect(before.data).toEqual({
    plan: 'pro', can_change_plan: false,
    limits: {
      monitors: 500, min_interval_seconds: 60, projects: 10, status_pages: 10, regions_per_monitor: 10,
      regions: 100, probes: 1000, subscriptions: 10, event_streams: 100, has_custom_domain: true, raw_results_days: 30,
      rollups_days: 400,
    },
    usage: {
      monitors: 0, projects: 1, status_pages: 0, regions: 0, probes: 0, subscriptions: 0, event_streams: 0,
    },
  });
  expect((await admin.client.put('/api/billing/plan', { plan: 'scale' })).code).toBe(
    'INSUFFICIENT_PERMISSIONS',
  );
  expect((await tenant.writeKey.get('/api/billing')).code).toBe('JWT_REQUIRED');
  expect((await tenant.owner.client.put('/api/billing/plan', { plan: 'gold' })).code).toBe(
    'VALIDATION_ERROR',
  );
  const moved = await tenant.owner.client.put('/api/billing/plan', { ...before.data, plan: 'scale' });
  expect(moved.data).toMatchObject({ plan: 'scale', can_change_plan: true, limits: { monitors: 100_000 } });
  expect((await tenant.owner.client.get('/api/auth/me')).data.organizations[0].plan).toBe('scale');
  await app.close();
});

test('a plan below the current usage is rejected with the excess; one that fits applies immediately', async () => {
  const app = await makeApp({ plansJson: '{"free":{"monitors":1}}' });
  const tenant = await newTenant(app);
  const make = (name: string) => tenant.writeKey.post(
    '/api/monitors', { name, type: 'HTTP', target: 'https://a.example/', interval_seconds: 300 },
  );
  const second = (await make('A')).data.monitor.id;
  await make('B');
  const { data: project } = await tenant.owner.client.post('/api/projects', { name: 'P' });
  const refused = await tenant.owner.client.put('/api/billing/plan', { plan: 'free' });
  expect([refused.status, refused.code]).toEqual([409, 'CONFLICT']);
  expect(refused.error.details).toEqual({
    exceeded: [{ resource: 'monitors', usage: 2, limit: 1 }, { resource: 'projects', usage: 2, limit: 1 }],
  });
  await tenant.writeKey.delete(`/api/monitors/${second}`);
  await tenant.owner.client.delete(`/api/projects/${project.project.id}`);
  expect((await tenant.owner.client.put('/api/billing/plan', { plan: 'free' })).status).toBe(200);
  expect((await make('C')).code).toBe('MONITOR_LIMIT_REACHED');
  expect((await tenant.owner.client.post('/api/projects', { name: 'Q' })).code).toBe('PLAN_LIMIT_EXCEEDED');
  expect((await tenant.owner.client.put('/api/billing/plan', { plan: 'free' })).status).toBe(200);
  await app.close();
});

test('with operator-only plans, owners cannot change theirs, and the operator can change any', async () => {
  const app = await makeApp({ env: { PLAN_CHANGES: 'operator' } });
  const [{ owner: operator }, tenant] = [await newTenant(app), await newTenant(app)];
  const { owner: { client }, organizationId } = tenant;
  expect((await client.get('/api/billing')).data).toMatchObject({ plan: 'scale', can_change_plan: false });
  const refused = await client.put('/api/billing/plan', { plan: 'pro' });
  expect([refused.status, refused.code]).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
  expect((await client.get('/api/billing')).data.plan).toBe('scale');
  const own = await operator.client.put('/api/billing/plan', { plan: 'pro' });
  expect(own.data).toMatchObject({ plan: 'pro', can_change_plan: true });

  const path = `/api/organizations/${organizationId}/plan`;
  expect((await client.put(path, { plan: 'pro' })).code).toBe('INSUFFICIENT_PERMISSIONS');
  expect((await operator.client.put(path, { plan: 'free' })).data.plan).toBe('free');
  expect((await client.get('/api/billing')).data.plan).toBe('free');
  const { entries } = (await client.get('/api/audit-log?action=plan.changed')).data;
  expect(entries).toMatchObject([{ actor: { id: operator.userId }, resource: { id: organizationId } }]);
  const unknown = await operator.client.put(`/api/organizations/${randomUUID()}/plan`, { plan: 'pro' });
  expect([unknown.status, unknown.code]).toEqual([404, 'ORGANIZATION_NOT_FOUND']);
  await app.close();
});
