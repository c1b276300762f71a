import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashSecret } from '../../shared/ids.ts';
import { systemClock } from '../../shared/time.ts';
import type { ApiClient, ApiResponse, Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';
import { TestProbe } from '../helpers/test-probe.ts';

let app: TestApp;
/** Owned by the operator of the instance: the first account. */
let operator: ApiClient;
let tenant: Tenant;
let owner: ApiClient;
let offsetMs = 0;
const PATH = '/api/regions/oslo/enrolment-keys';
const OSLO = { id: 'oslo', name: 'Oslo', city: 'Oslo', country: 'NO' };

beforeAll(async () => {
  app = await makeApp({
    env: { TRUST_PROXY: '1' }, clock: { ...systemClock, now: () => Date.now() + offsetMs },
  });
  operator = (await newTenant(app)).owner.client;
  tenant = await newTenant(app);
  owner = tenant.owner.client;
  expect((await owner.post('/api/regions', OSLO)).status).toBe(201);
});
afterAll(() => app.close());

async function create(fields: Loose = {}): Promise<{ id: string; key: string }> {
  const response = await owner.post(PATH, { name: 'cluster', ...fields });
  expect(response.status, response.text).toBe(201);
  return { id: response.data.enrolment_key.id, key: response.data.key };
}

const enrol = (key: string, probe = new TestProbe(), from?: string): Promise<ApiResponse> => app.client.post(
  '/api/probes/enrol', probe.request(key), { headers: from === undefined ? {} : { 'x-forwarded-for': from } },
);
const read = async (id: string) =>
  (await owner.get(PATH)).data.enrolment_keys.find((one: { id: string }) => one.id === id);
const probesOf = async (): Promise<Loose[]> => (await owner.get('/api/probes')).data.probes;
const codes = (responses: ApiResponse[]) => responses.map(({ status, code }) => code ?? status).sort();

describe('an enrolment key', () => {
  test('is shown once and stored as a hash, and unset fields have their defaults', async () => {
    const made = await owner.post(PATH, { name: '  rack ' });
    expect(made.status, made.text).toBe(201);
    const { enrolment_key: view, key } = made.data;
    expect(key).toMatch(/^fwe_[0-9a-f]{64}$/);
    expect(view).toEqual({
      id: expect.any(String), region_id: 'oslo', name: 'rack', expires_at: null, max_uses: null, uses: 0,
      is_ephemeral: false, name_prefix: null, cidrs: [], created_at: expect.any(String), last_used_at: null,
    });
    const list = await owner.get(PATH);
    expect(list.data.enrolment_keys).toContainEqual(view);
    expect(list.text).not.toContain(key.slice(4));
    expect(JSON.stringify(await app.db.collection('enrolment_keys').find({}).toArray())).not.toContain(key.slice(4));
    const all = {
      name: 'all', expires_at: new Date(Date.now() + 3_600_000).toISOString(), max_uses: 3, is_ephemeral: true,
      name_prefix: 'edge', cidrs: ['192.0.2.0/24', '2001:db8::/48'],
    };
    expect((await owner.post(PATH, all)).data.enrolment_key).toMatchObject(all);
  });

  test('enrols probes named by its prefix or region', async () => {
    const plain = await create();
    const prefixed = await create({ name_prefix: 'edge' });
    const first = await enrol(plain.key);
    expect(first.status, first.text).toBe(200);
    expect(first.data).toEqual({
      probe_id: expect.any(String), name: expect.stringMatching(/^oslo-[0-9a-f]{6}$/), region_id: 'oslo',
      nats_url: expect.any(String), controller_key: expect.stringMatching(/^A/), controller_box_key: expect.stringMatching(/^X/),
      shards: 16,
    });
    expect((await enrol(prefixed.key)).data.name).toMatch(/^edge-[0-9a-f]{6}$/);
    expect((await owner.get(`/api/probes/${first.data.probe_id}`)).data.probe).toMatchObject({
      name: first.data.name, region_id: 'oslo', status: 'offline', version: 'test', capabilities: ['http'],
    });
    const used = await read(plain.id);
    expect(used.uses).toBe(1);
    expect(Date.parse(used.last_used_at)).toBeGreaterThan(Date.now() - 60_000);
  });

  test('gives the same nkey the same probe without a further use, also at the same time and when used up', async () => {
    const { id, key } = await create({ max_uses: 1 });
    const probe = new TestProbe();
    const responses = await Promise.all(Array.from({ length: 8 }, () => enrol(key, probe)));
    expect(codes(responses)).toEqual(Array(8).fill(200));
    expect(new Set(responses.map(({ data }) => data.probe_id)).size).toBe(1);
    expect((await read(id)).uses).toBe(1);
    expect((await enrol(key, probe)).data).toEqual(responses[0]?.data);
    const otherBox = new TestProbe(probe.user);
    expect((await enrol(key, otherBox)).code).toBe('CONFLICT');
    const another = await create();
    expect((await enrol(another.key, probe)).code).toBe('CONFLICT');
    expect((await read(another.id)).uses).toBe(0);
  });

  test('enrols exactly as many probes as it may, even at the same time', async () => {
    const { id, key } = await create({ max_uses: 3, name_prefix: 'race' });
    const responses = await Promise.all(Array.from({ length: 12 }, () => enrol(key)));
    expect(codes(responses)).toEqual([...Array(3).fill(200), ...Array(9).fill('INVALID_TOKEN')]);
    expect((await read(id)).uses).toBe(3);
    expect((await probesOf()).filter(({ name }) => name.startsWith('race-'))).toHaveLength(3);
    expect((await enrol(key)).error.message).toBe('The enrolment key was already used');
    const [{ claims }] = await app.db.collection('enrolment_keys').find({ uses: 3, max_uses: 3 }).toArray() as Loose;
    expect(claims).toEqual([]);
  });

  test('counts the use of a controller that crashed before it stored the probe only once', async () => {
    const { id, key } = await create({ max_uses: 1 });
    const probe = new TestProbe();
    await app.db.collection<{ _id: string }>('enrolment_keys').updateOne(
      { _id: id }, { $set: { uses: 1, claims: [probe.publicKey] } },
    );
    expect((await enrol(key)).code).toBe('INVALID_TOKEN');
    expect((await enrol(key, probe)).status).toBe(200);
    expect((await read(id)).uses).toBe(1);
  });

  test('enrols nobody once it is expired or deleted, and its probes stay', async () => {
    const { id, key } = await create({ expires_at: new Date(Date.now() + 60_000).toISOString() });
    const probe = new TestProbe();
    const { probe_id: probeId } = (await enrol(key, probe)).data;
    offsetMs = 61_000;
    expect((await enrol(key)).code).toBe('TOKEN_EXPIRED');
    expect((await enrol(key, probe)).data.probe_id).toBe(probeId);
    offsetMs = 0;
    expect((await owner.delete(`${PATH}/${id}`)).data).toEqual({ message: 'Enrolment key deleted' });
    expect((await owner.delete(`${PATH}/${id}`)).code).toBe('RESOURCE_NOT_FOUND');
    expect((await enrol(key)).code).toBe('INVALID_TOKEN');
    expect((await enrol(key, probe)).code).toBe('INVALID_TOKEN');
    expect(await read(id)).toBeUndefined();
    expect((await owner.get(`/api/probes/${probeId}`)).status).toBe(200);
    expect((await enrol(`fwe_${'0'.repeat(64)}`)).code).toBe('INVALID_TOKEN');
  });

  test('works only from its addresses, which a trusted proxy reports', async () => {
    const { id, key } = await create({ cidrs: ['192.0.2.0/24', '2001:db8:0:0:8000::/65'] });
    for (const from of [undefined, '192.0.3.1', '2001:db8::1', '192.0.2.1, 198.51.100.1']) {
      expect((await enrol(key, new TestProbe(), from)).code).toBe('INVALID_TOKEN');
    }
    expect((await read(id)).uses).toBe(0);
    for (const from of ['192.0.2.7', '2001:db8::8000:0:0:1', '198.51.100.1, 192.0.2.8']) {
      expect((await enrol(key, new TestProbe(), from)).status).toBe(200);
    }
  });

  test('replaces a probe only after it was deleted', async () => {
    const { id, key } = await create();
    const { probe_id: former_probe_id } = (await enrol(key)).data;
    const successor = new TestProbe();
    const replace = () => app.client.post('/api/probes/enrol', successor.request(key, { former_probe_id }));
    expect((await replace()).code).toBe('CONFLICT');
    expect((await read(id)).uses).toBe(1);
    await owner.delete(`/api/probes/${former_probe_id}`);
    const { data } = await replace();
    expect(data.probe_id).not.toBe(former_probe_id);
    expect((await replace()).data.probe_id).toBe(data.probe_id);
    expect((await read(id)).uses).toBe(2);
  });

  test('is not used by a request with a false signature, or when the organization has enough probes', async () => {
    const { id, key } = await create();
    const forged = new TestProbe().request(key, { signature: new TestProbe().request(key).signature });
    expect((await app.client.post('/api/probes/enrol', forged)).code).toBe('VALIDATION_ERROR');
    const { probes: limit } = (await owner.get('/api/billing')).data.limits;
    const counter = app.db.collection<{ _id: string }>('usage');
    const { probes } = await counter.findOne({ _id: tenant.organizationId }) as Loose;
    await counter.updateOne({ _id: tenant.organizationId }, { $set: { probes: limit, changed_at: Date.now() } });
    expect((await enrol(key)).code).toBe('FAIR_USE_LIMIT_REACHED');
    await counter.updateOne({ _id: tenant.organizationId }, { $set: { probes } });
    expect((await read(id)).uses).toBe(0);
    const before = (await owner.get('/api/billing')).data.usage.probes;
    const { probe_id: probeId } = (await enrol(key)).data;
    expect((await owner.get('/api/billing')).data.usage.probes).toBe(before + 1);
    await owner.delete(`/api/probes/${probeId}`);
    expect((await owner.get('/api/billing')).data.usage.probes).toBe(before);
  });

  test('is in the audit log when it is created, used and deleted', async () => {
    const { id, key } = await create({ name: 'audited' });
    const { probe_id: probeId } = (await enrol(key)).data;
    await owner.delete(`${PATH}/${id}`);
    const { entries } = (await owner.get('/api/audit-log?limit=3')).data;
    const user = { type: 'user', id: tenant.owner.userId, name: 'Owner' };
    expect(entries).toEqual([
      expect.objectContaining({ action: 'enrolment_key.deleted', actor: user, resource: { type: 'enrolment_key', id } }),
      expect.objectContaining({
        action: 'probe.enrolled', actor: { type: 'none', id, name: 'audited' }, resource: { type: 'probe', id: probeId },
      }),
      expect.objectContaining({ action: 'enrolment_key.created', actor: user, resource: { type: 'enrolment_key', id } }),
    ]);
  });
});

describe('enrolment keys of a region', () => {
  test('are for those who may create probes in it', async () => {
    const { id } = await create();
    const other = await newTenant(app);
    const viewer = await newMember(app, tenant, 'viewer');
    const attempts = (client: ApiClient, path: string) => Promise.all([
      client.post(path, { name: 'x' }), client.get(path), client.delete(`${path}/${id}`),
    ]);
    expect(codes(await attempts(other.owner.client, PATH))).toEqual(Array(3).fill('RESOURCE_NOT_FOUND'));
    expect(codes(await attempts(operator, PATH))).toEqual(Array(3).fill('RESOURCE_NOT_FOUND'));
    expect(codes(await attempts(owner, '/api/regions/nowhere/enrolment-keys'))).toEqual(Array(3).fill('RESOURCE_NOT_FOUND'));
    expect(codes(await attempts(viewer.client, PATH))).toEqual(Array(3).fill('INSUFFICIENT_PERMISSIONS'));
    expect(codes(await attempts(tenant.writeKey, PATH))).toEqual(Array(3).fill('JWT_REQUIRED'));
    const shared = '/api/regions/local/enrolment-keys';
    expect(codes(await attempts(owner, shared))).toEqual(Array(3).fill('INSUFFICIENT_PERMISSIONS'));
    expect((await owner.delete(`${PATH}/${randomUUID()}`)).code).toBe('RESOURCE_NOT_FOUND');
    expect((await owner.delete(`${PATH}/x`)).code).toBe('VALIDATION_ERROR');
    const made = await operator.post(shared, { name: 'shared' });
    expect((await enrol(made.data.key)).data.region_id).toBe('local');
    expect((await operator.delete(`${shared}/${id}`)).code).toBe('RESOURCE_NOT_FOUND');
    expect(await read(id)).toMatchObject({ id });
  });

  test.each<[field: string, fields: Loose, message: RegExp]>([
    ['name', { name: '' }, /empty/],
    ['name', { name: undefined }, /./],
    ['expires_at', { expires_at: 'tomorrow' }, /ISO 8601/],
    ['expires_at', { expires_at: '2020-01-01T00:00:00Z' }, /Must be in the future/],
    ['max_uses', { max_uses: 0 }, /./],
    ['max_uses', { max_uses: 1.5 }, /./],
    ['is_ephemeral', { is_ephemeral: 'yes' }, /./],
    ['name_prefix', { name_prefix: 'a\nb' }, /control characters/],
    ['name_prefix', { name_prefix: 'x'.repeat(94) }, /at most 93/],
    ['cidrs', { cidrs: ['192.0.2.1'] }, /Must be a range like 192\.0\.2\.0\/24/],
    ['cidrs', { cidrs: ['10.0.0.0/33'] }, /Must be a range/],
    ['cidrs', { cidrs: '10.0.0.0/8' }, /./],
    ['cidrs', { cidrs: Array(33).fill('10.0.0.0/8') }, /./],
    ['uses', { uses: 1 }, /./],
  ])('are refused with a wrong %s: %j', async (field, fields, message) => {
    const response = await owner.post(PATH, { name: 'x', ...fields });
    expect(response, response.text).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(response.text).toMatch(field);
    expect(response.text).toMatch(message);
  });

  test('are at most 100, and end with their region or with its owner', async () => {
    const place = { ...OSLO, id: 'bergen' };
    const path = '/api/regions/bergen/enrolment-keys';
    await owner.post('/api/regions', place);
    const first = (await owner.post(path, { name: '1' })).data.key;
    const stored = app.db.collection<{ _id: string }>('enrolment_keys');
    const doc = await stored.findOne({ hash: hashSecret(first) } as Loose) as { _id: string };
    await stored.insertMany(Array.from({ length: 99 }, (_, at) => ({ ...doc, _id: randomUUID(), hash: `${at}` })));
    expect((await owner.post(path, { name: '101' })).code).toBe('FAIR_USE_LIMIT_REACHED');
    expect((await owner.delete('/api/regions/bergen')).status).toBe(200);
    expect((await enrol(first)).code).toBe('INVALID_TOKEN');
    await owner.post('/api/regions', place);
    expect((await owner.get(path)).data.enrolment_keys).toEqual([]);
    const { key } = (await owner.post(path, { name: 'old owner' })).data;
    const replaced = await operator.post('/api/regions', { ...place, visibility: 'shared', replace_private: true });
    expect(replaced.status, replaced.text).toBe(201);
    expect((await enrol(key)).code).toBe('INVALID_TOKEN');
    expect((await operator.get(path)).data.enrolment_keys).toEqual([]);
  });
});
