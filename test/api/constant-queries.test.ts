import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AssignmentDoc } from '../../controller/assignments/assignment-doc.ts';
import type { Route } from '../../controller/http/routing/route.ts';
import { newId } from '../../shared/ids.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

const MAX_REGIONS = 50;

let app: TestApp;
let tenant: Tenant;
let monitorId: string;
let probeId: string;
let commands: string[] = [];
/** Regions of the organization, each with a probe, that the monitor selects. */
const regions: string[] = [];

beforeAll(async () => {
  app = await makeApp({ onCommand: (command) => commands.push(Object.entries(command)[0]?.join(' ') ?? '') });
  tenant = await newTenant(app);
});
afterAll(() => app.close());

async function growTo(count: number): Promise<void> {
  const { client } = tenant.owner;
  while (regions.length < count) {
    const id = `region-${regions.length}`;
    await client.post('/api/regions', { id, name: id, city: 'Oslo', country: 'NO' });
    probeId = (await client.post('/api/probes', { region_id: id, name: 'one' })).data.probe.id;
    regions.push(id);
  }
  const monitor = {
    name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 300,
    monitoring_regions: regions,
  };
  const response = monitorId === undefined
    ? await client.post('/api/monitors', monitor) : await client.patch(`/api/monitors/${monitorId}`, monitor);
  expect(response.status, response.text).toBeLessThan(300);
  monitorId = response.data.monitor.id;
  // The same assignments that a controller with background work would make.
  const items = app.db.collection<Partial<AssignmentDoc> & { _id: string }>('assignments');
  for (const region of regions) {
    const item = { organization_id: tenant.organizationId, monitor_id: monitorId, region, gone: false };
    await items.replaceOne({ _id: `${region}:${monitorId}` }, { ...item, probe_id: region }, { upsert: true });
  }
}

function pathOf(route: Route): string {
  const ids: Record<string, string> = { '/api/probes/:id': probeId, '/api/projects/:id': tenant.projectId };
  const own = Object.entries(ids).find(([start]) => route.path.startsWith(start))?.[1];
  const idOf = (name: string) => (name === 'id' ? (own ?? monitorId) : newId(1));
  return route.path.replace(/:([A-Za-z_]+)/g, (_all, name: string) => idOf(name));
}

async function cost(method: string, path: string): Promise<string[]> {
  const send = () => tenant.owner.client.send(method, path);
  // The first request also counts the changes.
  const { status } = await send();
  commands = [];
  await send();
  return [String(status), ...commands];
}

const isRead = ({ method, auth, responses }: Route): boolean =>
  method === 'GET' && auth.access !== 'public' && !Object.values(responses).some((declared) => 'isStream' in declared);

async function costs(): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const route of app.routes.filter(isRead)) {
    all[`GET ${route.path}`] = await cost('GET', pathOf(route));
  }
  all['check now'] = await cost('POST', `/api/monitors/${monitorId}/check`);
  return all;
}

test('requests cost the same number of queries with 1 and with 50 regions', async () => {
  await growTo(1);
  const before = await costs();
  expect(Object.values(before).filter(([status]) => status === '200').length).toBeGreaterThan(20);
  expect(before['GET /api/regions']?.[0]).toBe('200');
  expect(before['check now']?.[0]).toBe('200');
  await growTo(MAX_REGIONS);
  const after = await costs();
  const numbers = (all: Record<string, string[]>) =>
    Object.fromEntries(Object.entries(all).map(([name, made]) => [name, made.length]));
  expect(numbers(after)).toEqual(numbers(before));
  const listed = (await tenant.owner.client.get('/api/regions')).data.regions as { monitors: number }[];
  expect(listed).toHaveLength(MAX_REGIONS + 1);
  expect(listed.filter(({ monitors }) => monitors === 1)).toHaveLength(MAX_REGIONS);
});

test('a replay of all time reads only the hours for which raw results are kept', async () => {
  await growTo(1);
  const years = Date.now() - 5 * 365 * 86_400_000;
  await app.db.collection<{ _id: string }>('monitors').updateOne({ _id: monitorId }, { $set: { created_at: years } });
  const path = `/api/monitors/${monitorId}/simulate`;
  const replay = async (body: object) => {
    commands = [];
    const response = await tenant.owner.client.post(path, { confirmation_policy: { retries: 0 }, ...body });
    expect(response.status, response.text).toBe(200);
    expect(response.data).toMatchObject({ since: null, incidents: [] });
    return commands.length;
  };
  expect(await replay({ from: 0 })).toBeLessThan(200);
  expect(await replay({ from: 0, to: years })).toBeLessThan(20);
});
