import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';

let app: TestApp;
let tenant: Tenant;
let client: ApiClient;
let pages: string;
let path: string;
let monitors: string[];

beforeAll(async () => {
  app = await makeApp();
  tenant = await newTenant(app);
  client = tenant.writeKey;
  pages = `/api/projects/${tenant.projectId}/status-pages`;
  monitors = [];
  for (const name of ['One', 'Two']) {
    const body = { name, type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
    monitors.push((await client.post('/api/monitors', body)).data.monitor.id);
  }
  path = `${pages}/${await createPage()}/incidents`;
});
afterAll(() => app.close());

async function createPage(): Promise<string> {
  const { data } = await client.post(pages, { name: 'Acme', subdomain: `page-${randomUUID()}` });
  const { id } = data.status_page;
  await client.put(`${pages}/${id}/monitors`, { monitors: monitors.map((monitor_id) => ({ monitor_id })) });
  return id as string;
}

const postInput = () => ({
  title: 'Slow', message: 'We are looking.\nMore soon.', severity: 'major', affected_monitor_ids: monitors,
});

async function createPost(body: object = {}): Promise<Loose> {
  const response = await client.post(path, { ...postInput(), ...body });
  expect(response.status, response.text).toBe(201);
  return response.data.incident;
}

test('a post is read back as sent, with what the API adds', async () => {
  const post = await createPost();
  expect(post).toEqual({
    ...postInput(), id: expect.any(String) as string, status_page_id: path.split('/').at(-2), incident_id: null,
    status: 'investigating', auto_published: false, resolved_at: null, updates: [],
    published_at: expect.any(String) as string, updated_at: post.published_at,
  });
  expect((await client.get(`${path}/${post.id}`)).data.incident).toEqual(post);
  const resolved = await createPost({ status: 'resolved', affected_monitor_ids: [monitors[0], monitors[0]] });
  expect(resolved).toMatchObject({
    status: 'resolved', resolved_at: resolved.published_at, affected_monitor_ids: [monitors[0]],
  });
});

test.each<[string, unknown]>([
  ['title', ''], ['title', 'x'.repeat(201)], ['title', 'a\r\nBcc: b'], ['message', ' '],
  ['message', 'x'.repeat(5001)], ['severity', 'warning'], ['status', 'closed'], ['affected_monitor_ids', []],
  ['affected_monitor_ids', ['x']], ['title', undefined], ['message', undefined], ['severity', undefined],
  ['affected_monitor_ids', undefined],
])('a post rejects %s %j', async (field, value) => {
  const response = await client.post(path, { ...postInput(), [field]: value });
  expect([response.status, response.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(response.text).toContain(field);
});

test('a post can name only monitors that its page shows', async () => {
  const body = { name: 'Elsewhere', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
  const elsewhere = (await client.post('/api/monitors', body)).data.monitor.id;
  const unknownId = randomUUID();
  const change = { affected_monitor_ids: [monitors[0], elsewhere, unknownId] };
  const refused = await client.post(path, { ...postInput(), ...change });
  expect(refused.code).toBe('VALIDATION_ERROR');
  expect(refused.error?.message).toContain(`${elsewhere}, ${unknownId}`);
  const post = await createPost();
  expect((await client.patch(`${path}/${post.id}`, change)).code).toBe('VALIDATION_ERROR');
});

test('project members below admin may read posts; writes are denied as documented', async () => {
  const member = await newMember(app, tenant, 'member');
  const refused = await member.client.post(path, postInput());
  expect([refused.status, refused.code, refused.error?.message]).toEqual([
    401, 'AUTHENTICATION_REQUIRED', 'Access denied',
  ]);
  const { id } = await createPost();
  expect((await member.client.get(`${path}/${id}`)).status).toBe(200);
  expect((await member.client.post(`${path}/${id}/resolve`)).code).toBe('INSUFFICIENT_PERMISSIONS');
  expect((await tenant.readKey.get(path)).status).toBe(200);
});

test('updates change the status of a post; resolving is idempotent', async () => {
  const { id } = await createPost();
  const update = await client.post(`${path}/${id}/updates`, { status: 'identified', message: 'Found it.' });
  expect(update.status).toBe(201);
  expect(update.data.incident).toMatchObject({
    status: 'identified', resolved_at: null, message: postInput().message,
    updates: [{ status: 'identified', message: 'Found it.', created_at: update.data.incident.updated_at }],
  });
  const resolved = (await client.post(`${path}/${id}/resolve`, { message: 'Mended.' })).data.incident;
  expect(resolved).toMatchObject({ status: 'resolved', resolved_at: resolved.updated_at });
  expect(resolved.updates.map(({ message }: Loose) => message)).toEqual(['Found it.', 'Mended.']);
  const repeated = await client.post(`${path}/${id}/resolve`, { message: 'Again' });
  expect([repeated.status, repeated.data.incident]).toEqual([200, resolved]);
  const reopened = await client.post(`${path}/${id}/updates`, { status: 'monitoring', message: 'Once more.' });
  expect(reopened.data.incident).toMatchObject({ status: 'monitoring', resolved_at: null });
});

test('descriptive changes add no update, and setting a status changes the time of resolution', async () => {
  const { id } = await createPost();
  const changed = await client.patch(`${path}/${id}`, {
    title: 'Down', message: 'All of it.', severity: 'critical', affected_monitor_ids: [monitors[1]],
    status: 'resolved',
  });
  expect(changed.data.incident).toMatchObject({
    title: 'Down', message: 'All of it.', severity: 'critical', affected_monitor_ids: [monitors[1]],
    status: 'resolved', resolved_at: changed.data.incident.updated_at, updates: [],
  });
  const sentBack = await client.put(`${path}/${id}`, changed.data.incident);
  expect(sentBack.data.incident).toMatchObject({ resolved_at: changed.data.incident.resolved_at });
});

test('no concurrent update is lost', async () => {
  const { id } = await createPost();
  const messages = ['a', 'b', 'c'];
  const responses = await Promise.all(messages.map(
    (message) => client.post(`${path}/${id}/updates`, { status: 'monitoring', message }),
  ));
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
  const { updates } = (await client.get(`${path}/${id}`)).data.incident;
  expect(updates.map(({ message }: Loose) => message).sort()).toEqual(messages);
});

test('the list is newest first, in pages, and can be filtered', async () => {
  const own = `${pages}/${await createPage()}/incidents`;
  const ids: string[] = [];
  for (const status of ['investigating', 'resolved', 'investigating']) {
    ids.unshift((await client.post(own, { ...postInput(), status })).data.incident.id);
  }
  const first = (await client.get(`${own}?limit=2`)).data;
  expect(first.incidents.map(({ id }: Loose) => id)).toEqual(ids.slice(0, 2));
  expect(first.pagination).toEqual({ page: 1, limit: 2, total_count: 3, has_more: true });
  const second = (await client.get(`${own}?limit=2&page=2`)).data;
  expect(second.incidents.map(({ id }: Loose) => id)).toEqual(ids.slice(2));
  expect(second.pagination.has_more).toBe(false);
  const resolved = (await client.get(`${own}?status=resolved`)).data;
  expect(resolved.incidents.map(({ id }: Loose) => id)).toEqual([ids[1]]);
});

test('a post is unknown under another page, and deleted with its page', async () => {
  const { id } = await createPost();
  const page = await createPage();
  expect((await client.get(`${pages}/${page}/incidents/${id}`)).code).toBe('RESOURCE_NOT_FOUND');
  expect((await client.delete(`${pages}/${page}/incidents/${id}`)).code).toBe('RESOURCE_NOT_FOUND');
  expect((await client.delete(`${path}/${id}`)).data).toEqual({ message: 'Incident deleted successfully' });
  expect((await client.delete(`${path}/${id}`)).code).toBe('RESOURCE_NOT_FOUND');
  await client.post(`${pages}/${page}/incidents`, postInput());
  const posts = app.db.collection('status_page_posts');
  expect(await posts.countDocuments({ page_id: page })).toBe(1);
  await client.with({ 'x-project-id': tenant.projectId }).delete(`${pages}/${page}`);
  expect(await posts.countDocuments({ page_id: page })).toBe(0);
});
