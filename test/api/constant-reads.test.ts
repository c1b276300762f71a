import type { Document } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AssignmentDoc } from '../../controller/assignments/assignment-doc.ts';
import { newId } from '../../shared/ids.ts';
import { populate } from '../bench/population.ts';
import { countedMongo, type CountedMongo, type Reads } from '../helpers/counted-mongo.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

// What the embedded store reads for a request does not depend on how much else is stored.
const FEW = 240;
const MANY = 10 * FEW;
const PAGE = 10;
const GROUP = '00000000-0000-4000-8000-00000000000a';

interface Installation {
  count: number;
  mongo: CountedMongo;
  /** The controller's commands to the store. */
  commands: Document[];
  app: TestApp;
  tenant: Tenant;
}

let few: Installation;
let many: Installation;

async function install(count: number): Promise<Installation> {
  const mongo = await countedMongo();
  const commands: Document[] = [];
  const app = await makeApp({ mongoUrl: mongo.url, onCommand: (command) => commands.push(command) });
  const tenant = await newTenant(app);
  const { organizationId, projectId, owner } = tenant;
  await populate(app.db, { organizationId, projectId, userId: owner.userId }, GROUP, count);
  return { count, mongo, commands, app, tenant };
}

beforeAll(async () => {
  few = await install(FEW);
  many = await install(MANY);
});
afterAll(async () => {
  for (const { app, mongo } of [few, many]) {
    await app.close();
    await mongo.stop();
  }
});

/** The store's reads for a list of monitors, which must be a full page. */
async function readsOf({ mongo, tenant }: Installation, path: string, isPage = true): Promise<Reads> {
  const before = { ...mongo.reads };
  const response = await tenant.owner.client.get(path);
  expect(response.status, response.text).toBe(200);
  if (isPage) expect(response.data.monitors).toHaveLength(PAGE);
  const { lookups, entries, keys, bytes } = mongo.reads;
  return {
    lookups: lookups - before.lookups, entries: entries - before.entries, keys: keys - before.keys,
    bytes: bytes - before.bytes,
  };
}

/** Tolerance: documents differ in length by the digits of their numbers. */
function expectSame(one: Reads, other: Reads): void {
  expect({ ...other, bytes: 0 }).toEqual({ ...one, bytes: 0 });
  expect(other.bytes / one.bytes).toBeLessThan(1.05);
}

const PAGES: Record<string, (one: Installation) => string> = {
  'the newest': () => '',
  'a state': () => '&status=active',
  'a type': () => '&type=TCP',
  'two types and a state': () => '&types=TCP,HTTP&status=active',
  'a group': () => `&group_id=${GROUP}`,
  'a group by name': () => `&group_id=${GROUP}&sort_by=name&sort_order=asc`,
  'by name': () => '&sort_by=name&sort_order=asc',
  'the last': ({ count }) => `&offset=${count - PAGE}`,
  'the last by name': ({ count }) => `&offset=${count - PAGE}&sort_by=name&sort_order=asc`,
};

test.each(Object.entries(PAGES))('a page of monitors costs the same reads with ten times as many monitors: %s', async (_what, of) => {
  const reads = async (one: Installation) => readsOf(one, `/api/monitors?limit=${PAGE}${of(one)}`);
  expectSame(await reads(few), await reads(many));
});

test('the page costs the same reads after monitors have changed', async () => {
  const reads = async (one: Installation) => {
    const { client } = one.tenant.owner;
    const newest = (await client.get('/api/monitors?limit=3&status=active')).data.monitors as { id: string }[];
    for (const { id } of newest) {
      expect((await client.patch(`/api/monitors/${id}`, { status: 'paused' })).status).toBe(200);
    }
    return readsOf(one, `/api/monitors?limit=${PAGE}&status=active`);
  };
  expectSame(await reads(few), await reads(many));
});

test('the statistics of the project cost the same reads', async () => {
  const reads = (one: Installation) => readsOf(one, '/api/monitors/stats', false);
  expectSame(await reads(few), await reads(many));
});

test('the number of monitors in each region costs the same reads, and is counted from index keys', async () => {
  const reads = async (one: Installation) => {
    const { app, count, tenant } = one;
    const items = app.db.collection<Partial<AssignmentDoc> & { _id: string }>('assignments');
    await items.insertMany(Array.from({ length: count }, (_, at) => ({
      _id: `probe:${at}`, probe_id: 'probe', monitor_id: newId(1), organization_id: tenant.organizationId,
      region: at % 3 === 0 ? 'local' : 'other', gone: at % 2 === 0,
    })));
    const { keys, ...others } = await readsOf(one, '/api/regions', false);
    const listed = (await tenant.owner.client.get('/api/regions')).data.regions as { monitors: number }[];
    expect(listed.map(({ monitors }) => monitors)).toEqual([count / 6]);
    await items.deleteMany({ probe_id: 'probe' });
    return { keys: keys / count, ...others };
  };
  expectSame(await reads(few), await reads(many));
});

test('a probe\'s monitors are found among those of others, and counted without reading documents', async () => {
  const { app, commands, tenant } = few;
  const created = await tenant.owner.client.post('/api/probes', { region_id: 'local', name: 'one' });
  const probeId: string = created.data.probe.id;
  const items = app.db.collection<Partial<AssignmentDoc> & { _id: string }>('assignments');
  const assign = (probe: string, monitors: string[], organization: string) => items.insertMany(monitors.map((id) => ({
    _id: `${probe}:${id}`, probe_id: probe, monitor_id: id, organization_id: organization, region: 'local', gone: false,
  })));
  const path = `/api/probes/${probeId}/monitors`;
  const listed = (await tenant.owner.client.get(`/api/monitors?limit=${PAGE}`)).data.monitors as { id: string }[];
  await assign(probeId, listed.map(({ id }) => id), tenant.organizationId);
  const baseline = await readsOf(few, path);
  const others = Array.from({ length: 300 }, () => newId(1));
  await assign('another', others, tenant.organizationId);
  await assign(probeId, others, 'another');
  const { keys, ...reads } = await readsOf(few, path);
  expect({ ...reads, keys: keys - others.length }).toEqual(baseline);
  const [lookup] = commands.filter(({ find }) => find === 'assignments');
  expect(lookup?.['batchSize']).toBeLessThanOrEqual(500);
});
