import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toMonitorConfig } from '../../controller/monitors/settings/registry.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

let app: TestApp;
let tenant: Tenant;
let client: ApiClient;
beforeAll(async () => {
  app = await makeApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await newTenant(app);
  client = tenant.writeKey;
});

const body = (name: string, change: Loose = {}): Loose => (
  { name, type: 'TCP', target: 'shop.example:443', interval_seconds: 60, ...change }
);
async function create(name: string, change: Loose = {}, by = client): Promise<string> {
  const response = await by.post('/api/monitors', body(name, change));
  expect(response.status, response.text).toBe(201);
  return response.data.monitor.id;
}
const link = (id: string, depends_on: string[]) => client.patch(`/api/monitors/${id}`, { depends_on });
const read = async (id: string) => (await client.get(`/api/monitors/${id}`)).data.monitor;

describe('the dependencies of a monitor', () => {
  test('are kept once each, are part of its configuration, and can be removed', async () => {
    const [router, uplink] = [await create('Router'), await create('Uplink')];
    const id = await create('Shop', { depends_on: [router, uplink.toUpperCase(), router] });
    expect((await read(id)).depends_on).toEqual([router, uplink]);
    expect((await client.get(`/api/monitors/${id}/settings`)).data.settings.depends_on).toEqual([router, uplink]);
    const [stored] = await app.monitors.findByIds([id]);
    expect(stored && toMonitorConfig(stored).depends_on).toEqual([router, uplink]);
    expect((await client.patch(`/api/monitors/${id}`, { name: 'Still' })).data.monitor.depends_on).toEqual([router, uplink]);
    expect((await link(id, [])).data.monitor).not.toHaveProperty('depends_on');
    expect((await client.get(`/api/monitors/${id}/settings`)).data.settings.depends_on).toEqual([]);
    expect((await app.monitors.findByIds([id]))[0]?.check_revision).toBe(1);
  });

  test('may be one that was deleted, until they are changed', async () => {
    const router = await create('Router');
    const id = await create('Shop', { depends_on: [router] });
    await client.delete(`/api/monitors/${router}`);
    const seen = await read(id);
    expect(seen.depends_on).toEqual([router]);
    expect((await client.put(`/api/monitors/${id}`, seen)).status).toBe(200);
    expect((await client.post('/api/monitors', body('Other', { depends_on: [router] }))).error.details)
      .toMatchObject([{ path: ['depends_on'], message: `Unknown monitor: ${router}` }]);
  });

  test('are at most twenty monitors of the same project', async () => {
    const other = await newTenant(app);
    const foreign = await create('Theirs', {}, other.writeKey);
    const own = await create('Own');
    for (const [depends_on, message] of [
      [Array.from({ length: 21 }, () => randomUUID()), 'A monitor can depend on at most 20 monitors'],
      [[foreign], `Unknown monitor: ${foreign}`], [[own, foreign], `Unknown monitor: ${foreign}`],
    ] as const) {
      const created = await client.post('/api/monitors', body('Shop', { depends_on }));
      const changed = await client.patch(`/api/monitors/${own}`, { depends_on });
      for (const response of [created, ...(depends_on as readonly string[]).includes(own) ? [] : [changed]]) {
        expect([response.status, response.code], response.text).toEqual([400, 'VALIDATION_ERROR']);
        expect(response.error.details).toMatchObject([{ path: ['depends_on'], message }]);
      }
    }
    expect((await client.post('/api/monitors', body('Shop', { depends_on: ['router'] }))).error.details[0].path)
      .toEqual(['depends_on', 0]);
  });

  test('of an unknown monitor cannot be changed', async () => {
    const own = await create('Own');
    const response = await link(randomUUID(), [own]);
    expect([response.status, response.code]).toEqual([404, 'MONITOR_NOT_FOUND']);
  });

  test('must not form a cycle, which is named', async () => {
    const router = await create('Router');
    const shop = await create('Shop', { depends_on: [await create('Switch', { depends_on: [router] })] });
    const refused = await link(router, [shop]);
    expect([refused.status, refused.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(refused.error.details).toEqual([
      { code: 'custom', path: ['depends_on'], message: 'Would form a cycle: Router → Shop → Switch → Router' },
    ]);
    expect((await link(router, [router])).error.message).toContain('Router → Router');
    expect(await read(router)).not.toHaveProperty('depends_on');
    const switchId = (await read(shop)).depends_on[0];
    expect((await link(switchId, [])).status).toBe(200);
    expect((await link(router, [shop])).status).toBe(200);
  });

  test('form no cycle through a deleted monitor', async () => {
    const router = await create('Router');
    const switchId = await create('Switch', { depends_on: [router] });
    const shop = await create('Shop', { depends_on: [switchId] });
    await client.delete(`/api/monitors/${switchId}`);
    expect((await link(router, [shop])).status).toBe(200);
  });

  test('are shown with their states in the group of the monitor', async () => {
    const group = (await client.post('/api/groups', { name: 'Office' })).data;
    const uplink = await create('Uplink');
    const router = await create('Router', { depends_on: [uplink] });
    const shop = await create('Shop', { group_id: group.id, depends_on: [router] });
    const mail = await create('Mail', { group_id: group.id, depends_on: [router, shop] });
    const seen = (await client.get(`/api/groups/${group.id}`)).data;
    expect(seen.monitors).toMatchObject([
      { id: shop, depends_on: [router] }, { id: mail, depends_on: [router, shop] },
    ]);
    expect(seen.dependencies).toEqual([
      { id: router, name: 'Router', runtimeStatus: 'unknown', in_maintenance: false, depends_on: [uplink] },
      { id: uplink, name: 'Uplink', runtimeStatus: 'unknown', in_maintenance: false },
    ]);
  });
});

describe('a document', () => {
  const send = (monitors: Loose[], query = '') => client.post(`/api/import${query}`, { monitors });
  const dependenciesOf = async () => {
    const { monitors } = (await client.get('/api/export')).data;
    return Object.fromEntries(monitors.map((one: Loose) => [one['name'], one['depends_on']]));
  };

  test('names dependencies in it and in the project; its export changes nothing', async () => {
    await create('Uplink');
    const monitors = [body('Shop', { depends_on: ['Router', 'Uplink'] }), body('Router', { depends_on: ['Uplink'] })];
    const done = await send(monitors);
    expect(done.data?.summary, done.text).toEqual({ created: 2, updated: 0, unchanged: 0 });
    const names = { Uplink: [], Shop: ['Router', 'Uplink'], Router: ['Uplink'] };
    expect(await dependenciesOf()).toEqual(names);
    expect((await send(monitors)).data.summary).toEqual({ created: 0, updated: 0, unchanged: 2 });
    const exported = (await client.get('/api/export')).data;
    expect((await client.post('/api/import', exported)).data.summary).toEqual({ created: 0, updated: 0, unchanged: 3 });
    const changed = await send([body('Shop', { depends_on: ['Router'] }), body('Router')], '?dry_run=true');
    expect(changed.data.monitors).toMatchObject([
      { action: 'update', differences: [{ field: 'depends_on', before: ['Router', 'Uplink'], after: ['Router'] }] },
      { action: 'unchanged' },
    ]);
    expect(await dependenciesOf()).toEqual(names);
  });

  test('keeps dependencies among namesakes, and those that it does not mention', async () => {
    const [first, second] = [await create('Router'), await create('Router')];
    const shop = await create('Shop', { depends_on: [second] });
    expect((await send([body('Shop', { depends_on: ['Router'] })])).data.summary.unchanged).toBe(1);
    await send([body('Shop', { tags: ['a'] })]);
    expect((await read(shop)).depends_on).toEqual([second]);
    await send([body('Mail', { depends_on: ['Router'] })]);
    const { monitors } = (await client.get('/api/monitors?search=Mail')).data;
    expect(monitors[0].depends_on).toEqual([first]);
  });

  test('with unknown names or a cycle is refused as a whole', async () => {
    const unknown = await send([body('Shop', { depends_on: ['Router'] })]);
    expect(unknown.error?.details, unknown.text).toEqual([
      { code: 'custom', path: ['monitors', 0, 'depends_on'], message: 'Unknown monitor: Router' },
    ]);
    for (const query of ['', '?dry_run=true']) {
      const cyclic = await send([body('Mail'), body('Shop', { depends_on: ['Router'] }), body('Router', { depends_on: ['Shop'] })], query);
      expect(cyclic.error?.details, cyclic.text).toEqual([{
        code: 'custom', path: ['monitors', 1, 'depends_on'], message: 'Would form a cycle: Shop → Router → Shop',
      }]);
    }
    expect(await app.monitors.countOfOrganization(tenant.organizationId)).toBe(0);
    await create('Shop', { depends_on: [await create('Router')] });
    const through = await send([body('Router', { depends_on: ['Shop'] })]);
    expect(through.error?.message, through.text).toContain('Router → Shop → Router');
  });
});
