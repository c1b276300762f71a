import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ApiClient } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newPerson, newTenant } from '../helpers/tenants.ts';
import { systemClock } from '../../shared/time.ts';
import { until } from '../helpers/until.ts';

let app: TestApp;
let client: ApiClient;
let offsetMs = 0;
beforeAll(async () => {
  app = await makeApp({ clock: { ...systemClock, now: () => Date.now() + offsetMs } });
});
afterAll(() => app.close());
beforeEach(async () => {
  client = (await newPerson(app)).person.client;
});

const use = (key: string, path = '/api/monitors') => app.client.get(path, { headers: { 'x-api-key': key } });

describe('an API key', () => {
  test('is shown once, and later only as a preview', async () => {
    const made = await client.post('/api/auth/api-keys', { name: '  pipeline ' });
    expect(made.status).toBe(201);
    expect(made.data).toMatchObject({ name: 'pipeline', scope: 'read', last_used_at: null });
    const { key, id } = made.data;
    expect(key).toMatch(/^fw_[0-9a-f]{64}$/);
    expect(made.data.key_preview).toBe(`fw_${key.slice(3, 7)}...${key.slice(-4)}`);
    const list = await client.get('/api/auth/api-keys');
    expect(list.data).toMatchObject({ total_count: 1, limit: 20, offset: 0, has_more: false });
    expect(list.data.keys).toEqual([expect.objectContaining({ id, key_preview: made.data.key_preview })]);
    expect(list.text).not.toContain(key.slice(3));
  });

  test('shows when it was last used', async () => {
    const { key } = (await client.post('/api/auth/api-keys', { name: 'k' })).data;
    const before = Date.now();
    await use(key);
    const used = await until(async () => (await client.get('/api/auth/api-keys')).data.keys[0].last_used_at);
    expect(Date.parse(used)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(used)).toBeLessThanOrEqual(Date.now());
  });

  test('records its use once a minute rather than with each request', async () => {
    const { key, id } = (await client.post('/api/auth/api-keys', { name: 'busy' })).data;
    const lastUsed = async () =>
      (await app.db.collection<{ _id: string; last_used_at: number | null }>('api_keys').findOne({
        _id: id,
      }))?.last_used_at;
    await use(key);
    const first = await until(lastUsed);
    offsetMs = 50_000;
    await Promise.all(Array.from({ length: 20 }, () => use(key)));
    expect(await lastUsed()).toBe(first);
    offsetMs = 61_000;
    await use(key);
    await until(async () => (await lastUsed() ?? 0) - first >= 60_000);
    offsetMs = 0;
  });

  test('stops working when it is rotated, and the new key works', async () => {
    const old = (await client.post('/api/auth/api-keys', { name: 'k', scope: 'read_write' })).data;
    const fresh = await client.post(`/api/auth/api-keys/${old.id}/rotate`);
    expect(fresh.status).toBe(201);
    expect(fresh.data).toMatchObject({ name: 'k', scope: 'read_write' });
    expect(fresh.data.key).not.toBe(old.key);
    expect((await use(old.key)).code).toBe('INVALID_API_KEY');
    expect((await use(fresh.data.key)).status).toBe(200);
    expect((await client.get('/api/auth/api-keys')).data.total_count).toBe(1);
  });

  test('has one working successor after concurrent rotations', async () => {
    const { id } = (await client.post('/api/auth/api-keys', { name: 'k' })).data;
    const fresh =
      await Promise.all(Array.from({ length: 10 }, () => client.post(`/api/auth/api-keys/${id}/rotate`)));
    const statuses = await Promise.all(fresh.map(async (response) => (await use(response.data.key)).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  test('stops working when it is revoked, and leaves the list', async () => {
    const { id, key } = (await client.post('/api/auth/api-keys', { name: 'k' })).data;
    const gone = await client.delete(`/api/auth/api-keys/${id}`);
    expect([gone.status, typeof gone.data.message]).toEqual([200, 'string']);
    expect((await use(key)).code).toBe('INVALID_API_KEY');
    expect((await client.get('/api/auth/api-keys')).data).toMatchObject({ keys: [], total_count: 0 });
    expect((await client.delete(`/api/auth/api-keys/${id}`)).code).toBe('RESOURCE_NOT_FOUND');
  });

  test('is unknown to other organizations', async () => {
    const other = await newTenant(app);
    const { id } = (await other.owner.client.get('/api/auth/api-keys')).data.keys[0];
    for (const [method, path] of [['DELETE', ''], ['POST', '/rotate']] as const) {
      const foreign = await client.send(method, `/api/auth/api-keys/${id}${path}`);
      const unknown = await client.send(method, `/api/auth/api-keys/${randomUUID()}${path}`);
      expect(foreign.status).toBe(404);
      expect(foreign.body).toEqual(unknown.body);
      expect(foreign.error).toMatchObject({
        message: 'API key not found', details: { resourceType: 'API key' },
      });
    }
    expect((await other.owner.client.get('/api/auth/api-keys')).data.total_count).toBe(2);
  });

  test.each([
    [{}, 'name'], [{ name: '' }, 'name'], [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'k', scope: 'admin' }, 'scope'], [{ name: 'k', organization_id: 'x' }, 'organization_id'],
  ])(
    'is rejected for %j',
    async (body, path) => {
      const response = await client.post('/api/auth/api-keys', body);
      expect(response.code).toBe('VALIDATION_ERROR');
      expect(response.error.details[0].path).toEqual([path]);
    },
  );
});

describe('an API key that expires', () => {
  test('is refused from then on, with a message that says so', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { key, ...made } = (await client.post('/api/auth/api-keys', { name: 'k', expires_at: expiresAt })).data;
    expect(made.expires_at).toBe(expiresAt);
    expect((await use(key)).status).toBe(200);
    offsetMs = 3_600_001;
    const refused = await use(key);
    offsetMs = 0;
    expect([refused.status, refused.code]).toEqual([401, 'INVALID_API_KEY']);
    expect(refused.error.message).toBe(`The API key expired on ${expiresAt}`);
  });

  test('still expires when it is rotated', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = (await client.post('/api/auth/api-keys', { name: 'k', expires_at: expiresAt })).data;
    expect((await client.post(`/api/auth/api-keys/${id}/rotate`)).data.expires_at).toBe(expiresAt);
  });

  test('cannot have expired already', async () => {
    const response = await client.post('/api/auth/api-keys', { name: 'k', expires_at: '2020-01-01T00:00:00Z' });
    expect([response.code, response.error.details[0].path]).toEqual(['VALIDATION_ERROR', ['expires_at']]);
  });
});

describe('an API key for some projects', () => {
  const inProject = (key: string, projectId: string) => ({ headers: { 'x-api-key': key, 'x-project-id': projectId } });
  const newProject = async (name: string) => (await client.post('/api/projects', { name })).data.project.id as string;
  const newKey = async (projectIds: string[]) => (await client.post('/api/auth/api-keys', {
    name: 'k', scope: 'read_write', project_ids: projectIds,
  })).data.key as string;

  test('reaches only these, by header and by path', async () => {
    const [first, second, third] = [await newProject('First'), await newProject('Second'), await newProject('Third')];
    const key = await newKey([first, second]);
    for (const id of [first, second]) {
      expect((await app.client.get('/api/monitors', inProject(key, id))).status).toBe(200);
      expect((await app.client.get(`/api/projects/${id}/status-pages`, inProject(key, id))).status).toBe(200);
      expect((await app.client.get(`/api/projects/${id}`, inProject(key, id))).status).toBe(200);
    }
    const refused = await Promise.all(['/api/monitors', `/api/projects/${third}/status-pages`, `/api/projects/${third}`]
      .map((path) => app.client.get(path, inProject(key, third))));
    expect(refused.map(({ status, code }) => [status, code])).toEqual(Array(3).fill([403, 'ACCESS_DENIED']));
    expect((await use(key)).code).toBe('ACCESS_DENIED');
    const { projects } = (await use(key, '/api/projects')).data;
    expect(projects.map(({ id }: { id: string }) => id)).toEqual([first, second]);
  });

  test('for a single project, means that project', async () => {
    const id = await newProject('Only');
    const key = await newKey([id]);
    const body = { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
    expect((await app.client.post('/api/monitors', body, { headers: { 'x-api-key': key } })).status).toBe(201);
    expect((await app.client.get('/api/monitors', inProject(key, id))).data.monitors).toHaveLength(1);
  });

  test('cannot name a project of another organization, which is like an unknown one', async () => {
    const other = await newTenant(app);
    for (const id of [other.projectId, randomUUID()]) {
      const response = await client.post('/api/auth/api-keys', { name: 'k', project_ids: [id] });
      expect([response.status, response.code]).toEqual([404, 'PROJECT_NOT_FOUND']);
    }
  });
});

test('the list is paged and sorted', async () => {
  for (const name of ['b', 'c', 'a', 'B']) await client.post('/api/auth/api-keys', { name });
  const names = async (query: string) =>
    (await client.get(`/api/auth/api-keys?${query}`)).data.keys.map((key: { name: string }) => key.name);
  expect(await names('')).toEqual(['B', 'a', 'c', 'b']);
  expect(await names('sort_order=asc')).toEqual(['b', 'c', 'a', 'B']);
  expect(await names('sort_by=name&sort_order=asc')).toEqual(['B', 'a', 'b', 'c']);
  expect(await names('limit=2&offset=1')).toEqual(['a', 'c']);
  expect((await client.get('/api/auth/api-keys?limit=2&offset=1')).data).toMatchObject({
    total_count: 4, limit: 2, offset: 1, has_more: true,
  });
  expect((await client.get('/api/auth/api-keys?limit=2&offset=2')).data.has_more).toBe(false);
  for (const query of ['limit=0', 'limit=101', 'offset=-1', 'sort_by=hash', 'sort_order=up']) {
    expect((await client.get(`/api/auth/api-keys?${query}`)).code, query).toBe('VALIDATION_ERROR');
  }
});
