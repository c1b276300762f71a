import { afterAll, beforeAll, expect, test } from 'vitest';
import { assign } from '../helpers/assigned.ts';
import { addRegion, makeApp, type TestApp } from '../helpers/make-app.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';

let app: TestApp;
/** The operator's organization: the first account's. */
let one: Tenant;
let other: Tenant;
let shared: string;
beforeAll(async () => {
  app = await makeApp();
  one = await newTenant(app);
  other = await newTenant(app);
  shared = (await one.owner.client.post('/api/probes', { region_id: 'local', name: 'everybody' })).data.probe.id;
});
afterAll(() => app.close());

async function assigned(tenant: Tenant, name: string, probeId = shared, region = 'local', client = tenant.writeKey) {
  const made = await client.post('/api/monitors', {
    name, type: 'HTTP', target: `https://${name.toLowerCase()}.example/`, interval_seconds: 300,
  });
  const id: string = made.data.monitor.id;
  await assign(app, tenant, id, { id: probeId, region });
  return id;
}

const read = async (tenant: Tenant, query = '', probeId = shared) =>
  (await tenant.readKey.get(`/api/probes/${probeId}/monitors${query}`)).data;

test('the list of a probe names the monitors that the project may see, and counts those of others', async () => {
  const shop = await assigned(one, 'Shop');
  const blog = await assigned(one, 'blog');
  await assigned(other, 'Secret');
  app.owners.live.set(shop, {
    status: 'down', since: 1, last_check_at: null, last_success_at: null, last_failure_at: null, open_incident: null,
    in_maintenance: false, regions: [],
  });
  expect(await read(one)).toEqual({
    monitors: [
      { id: blog, name: 'blog', type: 'HTTP', status: 'active', runtimeStatus: 'unknown', in_maintenance: false },
      { id: shop, name: 'Shop', type: 'HTTP', status: 'active', runtimeStatus: 'down', in_maintenance: false },
    ],
    others: 1, pagination: { total_count: 2, limit: 50, offset: 0, has_more: false },
  });
  const theirs = await read(other);
  expect(theirs.monitors.map(({ name }: { name: string }) => name)).toEqual(['Secret']);
  expect(theirs.others).toBe(2);
  expect(JSON.stringify(theirs)).not.toContain('Shop');
  // The installation's operator has no other rights to tenants' resources.
  const asOperator = await one.owner.client.get(`/api/probes/${shared}/monitors?search=secret`);
  expect(asOperator.data).toMatchObject({ monitors: [], others: 1 });
});

test('its list can be searched by name and target, and is paged', async () => {
  const probe = (await one.owner.client.post('/api/probes', { region_id: 'local', name: 'pages' })).data.probe.id;
  for (const name of ['delta', 'Alpha', 'charlie', 'Bravo']) await assigned(one, name, probe);
  const names = async (query: string) => {
    const { monitors, pagination } = await read(one, query, probe);
    return [monitors.map(({ name }: { name: string }) => name), pagination.total_count, pagination.has_more];
  };
  expect(await names('?limit=2')).toEqual([['Alpha', 'Bravo'], 4, true]);
  expect(await names('?limit=2&offset=2')).toEqual([['charlie', 'delta'], 4, false]);
  expect(await names('?search=CHARLIE.example')).toEqual([['charlie'], 1, false]);
  expect(await names('?search=.*')).toEqual([[], 0, false]);
  expect((await read(one, '?search=.*', probe)).others).toBe(0);
});

test('lost and deleted monitors are not on its list', async () => {
  const probe = (await one.owner.client.post('/api/probes', { region_id: 'local', name: 'lost' })).data.probe.id;
  const [remaining, moved, deleted] = [
    await assigned(one, 'kept', probe), await assigned(one, 'moved', probe), await assigned(one, 'deleted', probe),
  ];
  const items = app.db.collection<{ _id: string; gone: boolean }>('assignments');
  await items.updateOne({ _id: `${probe}:${moved}` }, { $set: { gone: true } });
  await one.writeKey.delete(`/api/monitors/${deleted}`);
  expect((await read(one, '', probe)).monitors).toMatchObject([{ id: remaining }]);
});

test('the monitors of other projects of the organization are only counted', async () => {
  const probe = (await one.owner.client.post('/api/probes', { region_id: 'local', name: 'projects' })).data.probe.id;
  await app.db.collection<{ _id: string }>('organizations')
    .updateOne({ _id: one.organizationId }, { $set: { plan: 'pro' } });
  const made = await one.owner.client.post('/api/projects', { name: 'Second' });
  const second = one.owner.client.with({ 'x-project-id': made.data.project.id });
  await assigned(one, 'first', probe);
  const hidden = await assigned(one, 'second', probe, 'local', second);
  expect(await read(one, '', probe)).toMatchObject({ monitors: [{ name: 'first' }], others: 1 });
  const response = await second.get(`/api/probes/${probe}/monitors`);
  expect(response.data).toMatchObject({ monitors: [{ id: hidden }], others: 1 });
  // A user without a role in that project may not request it.
  const member = await newMember(app, one, 'member');
  const refused = await member.client.with({ 'x-project-id': made.data.project.id })
    .get(`/api/probes/${probe}/monitors`);
  expect(refused.code).toBe('INSUFFICIENT_PERMISSIONS');
});

test("another organization's probe is unknown", async () => {
  await addRegion(app, 'ours', { visibility: 'private', organization_id: one.organizationId });
  const own = (await one.owner.client.post('/api/probes', { region_id: 'ours', name: 'rack' })).data.probe.id;
  await assigned(one, 'inside', own, 'ours');
  expect((await read(one, '', own)).monitors).toMatchObject([{ name: 'inside' }]);
  const foreign = await other.owner.client.get(`/api/probes/${own}/monitors`);
  expect([foreign.status, foreign.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
  await one.owner.client.delete(`/api/probes/${own}`);
  expect((await one.owner.client.get(`/api/probes/${own}/monitors`)).code).toBe('RESOURCE_NOT_FOUND');
});
