import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fromSeed } from 'nkeys.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashSecret } from '../../shared/ids.ts';
import type { ApiClient } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { testMongo, type TestMongo } from '../helpers/mongo.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';
import { TestProbe } from '../helpers/test-probe.ts';

let app: TestApp;
let store: TestMongo;
let usersFile: string;
let tenant: Tenant;
let other: Tenant;
/** The operator of the instance: the first account. */
let operator: ApiClient;

/** A controller on the database that publishes its probes in a users file of NATS. */
const open = (env: Record<string, string> = {}): Promise<TestApp> => {
  const nats = {
    NATS_USERS_FILE: usersFile, NATS_PID_FILE: `${usersFile}.pid`,
    NATS_PUBLIC_URL: 'nats://probes.example:4222',
  };
  return makeApp({ mongoUrl: store.url, env: { ...nats, ...env } });
};
const published = (): string => readFileSync(usersFile, 'utf8');

beforeAll(async () => {
  store = await testMongo();
  usersFile = join(mkdtempSync(join(tmpdir(), 'farwatch-users-')), 'users.conf');
  app = await open();
  tenant = await newTenant(app);
  operator = tenant.owner.client;
  other = await newTenant(app);
});
afterAll(async () => {
  await app.close();
  await store.stop();
  rmSync(dirname(usersFile), { recursive: true });
});

async function register(
  client: ApiClient, name: string, region = 'local',
): Promise<{ id: string; token: string }> {
  const response = await client.post('/api/probes', { region_id: region, name });
  expect(response.status, response.text).toBe(201);
  return { id: response.data.probe.id, token: response.data.enrolment_token };
}

test('the first start creates one shared region, which keys may list', async () => {
  const expected = {
    id: 'local', name: 'Local', city: 'Berlin', country: '', lat: null, lon: null, visibility: 'shared',
    probes_online: 0, monitors: 0,
  };
  for (const client of [tenant.readKey, tenant.owner.client, other.writeKey]) {
    expect((await client.get('/api/regions')).data).toEqual({ regions: [expected] });
  }
  expect((await app.client.get('/api/regions')).code).toBe('MISSING_AUTH');
});

test('probes require a session, and those of a shared region the operator', async () => {
  expect((await tenant.writeKey.get('/api/probes')).code).toBe('JWT_REQUIRED');
  expect((await other.owner.client.post('/api/probes', { region_id: 'local', name: 'x' })).code).toBe(
    'INSUFFICIENT_PERMISSIONS',
  );
  expect((await operator.post('/api/probes', { region_id: 'nowhere', name: 'x' })).code).toBe(
    'RESOURCE_NOT_FOUND',
  );
  for (const bad of [
    {}, { region_id: 'local' }, { region_id: 'local', name: '' }, { region_id: 'local', name: 'a\nb' },
    { region_id: { $gt: '' }, name: 'x' }, { region_id: 'local', name: 'x', extra: 1 },
  ]) {
    expect((await operator.post('/api/probes', bad)).code).toBe('VALIDATION_ERROR');
  }
});

test('a token enrols one probe once, even for concurrent requests, and is never stored', async () => {
  const { id, token } = await register(operator, 'one');
  const before = (await operator.get(`/api/probes/${id}`)).data.probe;
  expect(before).toMatchObject({
    name: 'one', region_id: 'local', status: 'enrolling', capabilities: [], last_beat_at: null, version: null, mesh: [],
  });
  expect((await operator.post('/api/probes', { region_id: 'local', name: 'one' })).code).toBe(
    'RESOURCE_ALREADY_EXISTS',
  );

  const rivals = Array.from({ length: 10 }, () => new TestProbe());
  const responses =
    await Promise.all(rivals.map((rival) => app.client.post('/api/probes/enrol', rival.request(token))));
  const won = responses.filter((response) => response.status === 200);
  expect(won).toHaveLength(1);
  expect(responses.filter((response) => response.code === 'INVALID_TOKEN')).toHaveLength(9);
  expect(won[0]?.data).toEqual({
    probe_id: id, name: 'one', region_id: 'local', nats_url: 'nats://probes.example:4222',
    controller_key: expect.stringMatching(/^A[A-Z2-7]{55}$/),
    controller_box_key: expect.stringMatching(/^X[A-Z2-7]{55}$/), shards: 16,
  });
  const winner = rivals[responses.findIndex((response) => response.status === 200)] as TestProbe;
  expect(published()).toContain(winner.publicKey);
  expect(published()).toContain(`results.*.local.${id}`);
  // The response can get lost, so the same key may repeat the request and gets the same response.
  expect((await app.client.post('/api/probes/enrol', winner.request(token))).data).toEqual(won[0]?.data);
  expect((await app.client.post(
    '/api/probes/enrol', winner.request(token, { signature: new TestProbe().request(token).signature }),
  )).code)
    .toBe('INVALID_TOKEN');
  expect((await operator.get(`/api/probes/${id}`)).data.probe).toMatchObject({
    status: 'offline', version: 'test', capabilities: ['http'],
  });
  const dump = JSON.stringify([
    await app.db.collection('probes').find({}).toArray(),
    await app.db.collection('regions').find({}).toArray(),
  ]);
  expect(dump).not.toContain(token);
});

test('a token that is unknown, expired or has a false signature is refused', async () => {
  const probe = new TestProbe();
  expect((await app.client.post('/api/probes/enrol', probe.request('0'.repeat(64)))).code).toBe(
    'INVALID_TOKEN',
  );
  const { id, token } = await register(operator, 'two');
  expect((await app.client.post(
    '/api/probes/enrol', probe.request(token, { signature: new TestProbe().request(token).signature }),
  )).code)
    .toBe('VALIDATION_ERROR');
  expect((await app.client.post(
    '/api/probes/enrol', probe.request(token, { nonce: 'another-nonce-0123456' }),
  )).code)
    .toBe('VALIDATION_ERROR');
  for (const bad of [
    { public_key: 'U' }, { box_key: `X${'A'.repeat(55)}` }, { token: '' }, { region_id: 'eu' },
  ]) {
    expect((await app.client.post('/api/probes/enrol', { ...probe.request(token), ...bad })).code).toBe(
      'VALIDATION_ERROR',
    );
  }
  await app.db.collection('probes').updateOne(
    { token_hash: hashSecret(token) }, { $set: { token_expires_at: Date.now() - 1 } },
  );
  expect((await app.client.post('/api/probes/enrol', probe.request(token))).code).toBe('TOKEN_EXPIRED');
  expect((await operator.get(`/api/probes/${id}`)).data.probe).toMatchObject({
    status: 'enrolling', reason: 'The enrolment token has expired',
  });
});

test('a key belongs to one probe', async () => {
  const probe = new TestProbe();
  const [first, second] = [await register(operator, 'three'), await register(operator, 'four')];
  expect((await app.client.post('/api/probes/enrol', probe.request(first.token))).status).toBe(200);
  expect((await app.client.post('/api/probes/enrol', probe.request(second.token))).code).toBe('CONFLICT');
});

test('a key shared with a subscription appears once in the user files of NATS, so that they stay valid', async () => {
  const issued = (await operator.post('/api/subscriptions', { name: 'Archive' })).data;
  const twin = new TestProbe(fromSeed(Buffer.from(issued.seed)));
  const { id, token } = await register(operator, 'twin');
  expect((await app.client.post('/api/probes/enrol', twin.request(token))).status).toBe(200);
  const subscribers = readFileSync(join(dirname(usersFile), 'subscribers.conf'), 'utf8');
  expect(`${published()}${subscribers}`.split(twin.publicKey)).toHaveLength(2);
  await operator.delete(`/api/probes/${id}`);
  await operator.delete(`/api/subscriptions/${issued.subscription.id}`);
});

test('a deleted probe disappears from NATS and the list at once, and its name becomes free', async () => {
  const { id, token } = await register(operator, 'five');
  const probe = new TestProbe();
  await app.client.post('/api/probes/enrol', probe.request(token));
  expect(published()).toContain(id);
  expect((await other.owner.client.delete(`/api/probes/${id}`)).code).toBe('INSUFFICIENT_PERMISSIONS');
  expect((await operator.delete(`/api/probes/${id}`)).data).toEqual({ message: 'Probe deleted' });
  expect(published()).not.toContain(id);
  expect((await operator.get(`/api/probes/${id}`)).code).toBe('RESOURCE_NOT_FOUND');
  expect((await operator.delete(`/api/probes/${id}`)).code).toBe('RESOURCE_NOT_FOUND');
  expect((await app.client.post('/api/probes/enrol', probe.request(token))).code).toBe('INVALID_TOKEN');
  await register(operator, 'five');
});

test('a probe accepts its own representation; its name and draining change', async () => {
  const { id } = await register(operator, 'six');
  const read = (await operator.get(`/api/probes/${id}`)).data.probe;
  expect((await operator.patch(`/api/probes/${id}`, read)).data.probe).toEqual(read);
  expect((await operator.put(`/api/probes/${id}`, read)).data.probe).toEqual(read);
  expect((await operator.patch(`/api/probes/${id}`, { name: 'seven' })).data.probe.name).toBe('seven');
  expect((await operator.patch(`/api/probes/${id}`, { name: 'one' })).code).toBe('RESOURCE_ALREADY_EXISTS');
  expect((await operator.patch(`/api/probes/${id}`, { status: 'gone' })).code).toBe('VALIDATION_ERROR');
  await operator.patch(`/api/probes/${id}`, { status: 'draining' });
  expect(await app.db.collection('probes').findOne({ name: 'seven' })).toMatchObject({ is_draining: true });
});

test('the operator sets the location of a probe, and firewalls can read the source addresses of checks', async () => {
  const { id, token } = await register(operator, 'placed');
  const enrolled = await app.client.post('/api/probes/enrol', new TestProbe().request(token));
  expect(enrolled.status, enrolled.text).toBe(200);
  const read = async () => (await operator.get(`/api/probes/${id}`)).data.probe;
  const listed = async (region = 'local') => {
    const response = await app.client.get('/.well-known/probes.json');
    const { regions } = JSON.parse(response.text) as { regions: { id: string; addresses: string[] }[] };
    return regions.find((one) => one.id === region)?.addresses;
  };
  expect(await read()).toMatchObject({
    provider: null, asn: null, addresses: ['127.0.0.1'], lateness_ms: null, missed_rate: null, lost_rate: null,
    quarantine: null,
  });
  expect(await listed()).toEqual([]);
  const place = { provider: 'Example Cloud', asn: 64500, addresses: ['93.184.216.34', '2606:2800:220::/48', '10.0.0.1'] };
  expect((await operator.patch(`/api/probes/${id}`, place)).data.probe).toMatchObject(place);
  expect((await operator.put(`/api/probes/${id}`, await read())).status).toBe(200);
  expect(await read()).toMatchObject(place);
  expect(await listed()).toEqual(['2606:2800:220::/48', '93.184.216.34']);
  const { data } = await other.owner.client.get('/api/probes');
  const seen = data.probes.find((one: { id: string }) => one.id === id);
  const { probe: single } = (await other.owner.client.get(`/api/probes/${id}`)).data;
  for (const probe of [seen, single]) expect(probe.addresses).toEqual(place.addresses.slice(0, 2));
  for (const bad of [{ addresses: ['example.com'] }, { addresses: ['1.2.3.4/40'] }, { asn: 0 }, { provider: '' }]) {
    expect((await operator.patch(`/api/probes/${id}`, bad)).code).toBe('VALIDATION_ERROR');
  }
  expect((await operator.patch(`/api/probes/${id}`, { provider: null, asn: null })).data.probe).toMatchObject({
    provider: null, asn: null,
  });
  await operator.delete(`/api/probes/${id}`);
  expect(await listed()).toEqual([]);
});

test('a private region belongs only to its organization', async () => {
  const place = { id: 'office', name: 'Office', city: 'Oslo', country: 'NO', lat: 59.9, lon: 10.7 };
  const viewer = await newMember(app, other, 'viewer');
  expect((await viewer.client.post('/api/regions', place)).code).toBe('INSUFFICIENT_PERMISSIONS');
  expect((await other.owner.client.post('/api/regions', { ...place, visibility: 'shared' })).code).toBe(
    'INSUFFICIENT_PERMISSIONS',
  );
  expect((await other.owner.client.post('/api/regions', place)).data.region).toEqual({
    ...place, visibility: 'private', probes_online: 0, monitors: 0,
  });
  expect((await operator.post('/api/regions', place)).code).toBe('RESOURCE_ALREADY_EXISTS');
  expect((await tenant.readKey.get('/api/regions')).data.regions).toHaveLength(1);
  expect((await viewer.client.get('/api/regions')).data.regions).toHaveLength(2);

  const { id, token } = await register(other.owner.client, 'own', 'office');
  expect((await app.client.post('/api/probes/enrol', new TestProbe().request(token))).data.region_id).toBe(
    'office',
  );
  expect((await operator.get(`/api/probes/${id}`)).code).toBe('RESOURCE_NOT_FOUND');
  expect((await operator.post('/api/probes', { region_id: 'office', name: 'spy' })).code).toBe(
    'RESOURCE_NOT_FOUND',
  );
  expect((await operator.delete('/api/regions/office')).code).toBe('RESOURCE_NOT_FOUND');
  expect((await other.owner.client.delete('/api/regions/office')).code).toBe('CONFLICT');
  expect(
    (await other.owner.client.patch('/api/regions/office', { city: 'Bergen' })).data.region,
  ).toMatchObject({ name: 'Office', city: 'Bergen' });
  expect((await other.owner.client.put('/api/regions/office', { city: 'Oslo' })).data.region).toMatchObject({
    name: 'Office', city: 'Oslo',
  });
  expect(
    await app.controller.fleet.directory.unknownRegions(other.organizationId, ['office', 'local', 'x']),
  ).toEqual(['x']);
  expect(await app.controller.fleet.directory.unknownRegions(tenant.organizationId, ['office'])).toEqual([
    'office',
  ]);
});

test('the operator\'s shared region can replace a private one that took its id', async () => {
  const place = { id: 'frankfurt', name: 'Mine', city: 'Frankfurt', country: 'DE' };
  expect((await other.owner.client.post('/api/regions', place)).status).toBe(201);
  const squatter = new TestProbe();
  const { id, token } = await register(other.owner.client, 'squatter', 'frankfurt');
  expect((await app.client.post('/api/probes/enrol', squatter.request(token))).status).toBe(200);
  const late = await register(other.owner.client, 'late', 'frankfurt');
  const usage = async () => (await other.owner.client.get('/api/billing')).data.usage;
  const before = await usage();
  expect(published()).toContain(squatter.publicKey);

  const shared = { ...place, name: 'Frankfurt', visibility: 'shared' };
  const refused = await operator.post('/api/regions', shared);
  expect(refused).toMatchObject({ status: 409, code: 'RESOURCE_ALREADY_EXISTS' });
  expect(refused.error.details.errors.id).toContain('`replace_private: true`');
  const wanted = { ...shared, replace_private: true };
  expect((await other.owner.client.post('/api/regions', wanted)).code).toBe('INSUFFICIENT_PERMISSIONS');
  expect((await operator.post('/api/regions', { ...wanted, visibility: 'private' })).code).toBe('RESOURCE_ALREADY_EXISTS');

  expect(await operator.post('/api/regions', wanted)).toMatchObject({
    status: 201, data: { region: { id: 'frankfurt', name: 'Frankfurt', visibility: 'shared' } },
  });
  expect((await tenant.readKey.get('/api/regions')).data.regions).toContainEqual(
    expect.objectContaining({ id: 'frankfurt', name: 'Frankfurt', visibility: 'shared' }),
  );
  expect(published()).not.toContain(squatter.publicKey);
  expect((await other.owner.client.get(`/api/probes/${id}`)).code).toBe('RESOURCE_NOT_FOUND');
  expect((await app.client.post('/api/probes/enrol', new TestProbe().request(late.token))).code).toBe('INVALID_TOKEN');
  const after = await usage();
  expect([after.regions, after.probes]).toEqual([before.regions - 1, before.probes - 2]);
  expect((await operator.post('/api/regions', wanted)).code).toBe('RESOURCE_ALREADY_EXISTS');
  expect((await operator.delete('/api/regions/frankfurt')).status).toBe(200);
});

test('a probe registered in a region that changes its owner cannot enroll', async () => {
  const place = { id: 'hamburg', name: 'Mine', city: 'Hamburg', country: 'DE' };
  await other.owner.client.post('/api/regions', place);
  const { token } = await register(other.owner.client, 'late', 'hamburg');
  const shared = { visibility: 'shared', organization_id: null } as const;
  await app.db.collection<{ _id: string }>('regions').updateOne({ _id: 'hamburg' }, { $set: shared });
  expect((await app.client.post('/api/probes/enrol', new TestProbe().request(token))).code).toBe('INVALID_TOKEN');
});

test('only monitors that select a private region are assigned to it', async () => {
  const monitor = { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
  const make = async (monitoring_regions: string[]) =>
    (await other.writeKey.post('/api/monitors', { ...monitor, monitoring_regions })).data.monitor.id as string;
  const [anywhere, named] = [await make([]), await make(['office'])];
  const placed = async (isShared: boolean) => {
    const ids: string[] = [];
    for await (const { _id } of app.monitors.activeOfRegion('office', isShared)) ids.push(_id);
    return ids;
  };
  expect(await placed(false)).toEqual([named]);
  expect(await placed(true)).toEqual([anywhere, named]);
});

test('a region can be deleted immediately after its last probe', async () => {
  await other.owner.client.post('/api/regions', { id: 'attic', name: 'Attic', city: 'Oslo', country: 'NO' });
  const { id } = await register(other.owner.client, 'dusty', 'attic');
  expect((await other.owner.client.delete('/api/regions/attic')).code).toBe('CONFLICT');
  await other.owner.client.delete(`/api/probes/${id}`);
  expect((await other.owner.client.delete('/api/regions/attic')).data).toEqual({ message: 'Region deleted' });
});

test('the embedded probe enrols with its token, and again with a new one after its data was wiped', async () => {
  const [first, second] = ['a'.repeat(64), 'b'.repeat(64)];
  const start = async (token: string) => {
    const started = await open({ EMBEDDED_PROBE_TOKEN: token });
    await started.close();
  };
  await start(first);
  const embedded = new TestProbe();
  const response = await app.client.post('/api/probes/enrol', embedded.request(first));
  expect(response.data).toMatchObject({ name: 'embedded', region_id: 'local' });
  await start(first);
  expect((await app.client.post('/api/probes/enrol', new TestProbe().request(first))).code).toBe(
    'INVALID_TOKEN',
  );

  await start(second);
  expect(published()).toContain(embedded.publicKey);
  const wiped = new TestProbe();
  const again = await app.client.post('/api/probes/enrol', wiped.request(second));
  expect(again.data).toEqual(response.data);
  expect(published()).toContain(wiped.publicKey);
  expect(published()).not.toContain(embedded.publicKey);
});
