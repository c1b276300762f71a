import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_PREFERENCES, type SubscriberDoc } from '../../controller/subscribers/subscriber.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { pageSubscriber, SUBSCRIBERS } from '../helpers/page-subscriber.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';

let app: TestApp;
let tenant: Tenant;
let client: ApiClient;
let pageId: string;
let path: string;

beforeAll(async () => {
  app = await makeApp();
  tenant = await newTenant(app);
  client = tenant.writeKey;
});
afterAll(() => app.close());
beforeEach(async () => {
  pageId = await createPage();
  path = pathOf(pageId);
});

const pathOf = (id: string, projectId = tenant.projectId) =>
  `/api/projects/${projectId}/status-pages/${id}/subscribers`;

async function createPage(of = tenant): Promise<string> {
  const body = { name: 'Acme', subdomain: `page-${randomUUID()}` };
  return (await of.writeKey.post(`/api/projects/${of.projectId}/status-pages`, body)).data.status_page.id;
}

async function add(email: string, change: Partial<SubscriberDoc> = {}, page = pageId, of = tenant): Promise<string> {
  const doc = pageSubscriber({ ...of, pageId: page }, email, change);
  await app.db.collection<SubscriberDoc>(SUBSCRIBERS).insertOne(doc);
  return doc._id;
}

const emails = (data: Loose): string[] => data.subscribers.map((one: Loose) => one.email);

describe('one subscriber', () => {
  test('is read by its id, only on its own page', async () => {
    const id = await add('ada@example.com');
    const [listed] = (await client.get(path)).data.subscribers;
    expect((await client.get(`${path}/${id}`)).data.subscriber).toEqual(listed);
    const other = pathOf(await createPage());
    for (const at of [`${other}/${id}`, `${path}/${randomUUID()}`]) {
      expect(await client.get(at)).toMatchObject({ status: 404, error: { code: 'RESOURCE_NOT_FOUND' } });
    }
  });
});

describe('the list of subscribers', () => {
  test('shows everything but tokens', async () => {
    const hash = 'abcdef'.repeat(10);
    const id = await add('ada@example.com', { webhook_url: 'https://hook.example/', verify_hash: hash });
    const { data, text } = await client.get(path);
    expect(data).toEqual({
      subscribers: [{
        id, status_page_id: pageId, email: 'ada@example.com', webhook_url: 'https://hook.example/', is_verified: true,
        verification_expires_at: null, preferences: DEFAULT_PREFERENCES, unsubscribed_at: null,
        subscribed_at: expect.stringMatching(/Z$/), verified_at: expect.stringMatching(/Z$/),
      }],
      pagination: { page: 1, limit: 50, total_count: 1, has_more: false },
    });
    expect(text).not.toContain(hash);
    expect(text).not.toMatch(/token|hash/);
  });

  test('can be filtered, searched, sorted and paged', async () => {
    await add('a@x.example', { subscribed_at: 3, verified_at: 1 });
    await add('b@x.example', { subscribed_at: 2, state: 'unverified', verified_at: null });
    await add('c.+*(@y.example', {
      subscribed_at: 1, verified_at: 5, state: 'unsubscribed',
      preferences: { ...DEFAULT_PREFERENCES, maintenance: false },
    });
    const found = async (query: string) => emails((await client.get(`${path}?${query}`)).data);
    const [a, b, c] = ['a@x.example', 'b@x.example', 'c.+*(@y.example'];
    expect(await found('')).toEqual([a, b, c]);
    expect(await found('order=asc')).toEqual([c, b, a]);
    expect(await found('sort=email&order=desc')).toEqual([c, b, a]);
    expect(await found('sort=verified_at')).toEqual([c, a, b]);
    expect(await found('status=verified')).toEqual([a]);
    expect(await found('status=unverified')).toEqual([b]);
    expect(await found('status=unsubscribed')).toEqual([c]);
    expect(await found('status=all&preference=maintenance')).toEqual([a, b]);
    expect(await found('search=X.EXAMPLE&status=verified')).toEqual([a]);
    expect(await found(`search=${encodeURIComponent('.+*(')}`)).toEqual([c]);
    expect(await found('search=.*')).toEqual([]);
    for (let at = 0; at < 9; at += 1) await add(`n${at}@z.example`, { subscribed_at: 0 });
    const { data } = await client.get(`${path}?limit=10&page=2`);
    expect(data.pagination).toEqual({ page: 2, limit: 10, total_count: 12, has_more: false });
    expect(data.subscribers).toHaveLength(2);
  });

  test.each(['limit=9', 'limit=1001', 'page=0', 'status=gone', 'sort=id', 'order=up', 'preference=none', 'x=1'])(
    'rejects %s', async (query) => {
      expect((await client.get(`${path}?${query}`)).code).toBe('VALIDATION_ERROR');
    },
  );

  test('is open to viewers of the project; all other requests need an admin', async () => {
    const viewer = await newMember(app, tenant, 'viewer');
    const id = await add('ada@example.com');
    expect((await viewer.client.get(path)).status).toBe(200);
    const refused = [
      await viewer.client.get(`${path}/export`),
      await viewer.client.patch(`${path}/${id}`, { preferences: {} }),
      await viewer.client.delete(`${path}/${id}`),
      await viewer.client.post(`${path}/bulk-delete`, { subscriber_ids: [id] }),
    ];
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['INSUFFICIENT_PERMISSIONS']));
    expect((await tenant.readKey.delete(`${path}/${id}`)).code).toBe('READ_ONLY_API_KEY');
    expect((await app.client.get(path)).code).toBe('AUTHENTICATION_REQUIRED');
    const other = await newTenant(app);
    expect((await other.writeKey.get(path)).code).toBe('API_KEY_ORGANIZATION_MISMATCH');
    expect((await other.writeKey.get(pathOf(pageId, other.projectId))).code).toBe('RESOURCE_NOT_FOUND');
  });

  test('conceals webhook addresses and most of each address from viewers and read keys', async () => {
    const viewer = await newMember(app, tenant, 'viewer');
    const editor = await newMember(app, tenant, 'member');
    const id = await add('ada.lovelace@x.example', { webhook_url: 'https://hook.example/secret', subscribed_at: 1 });
    await add('bob@y.example', { subscribed_at: 2 });
    await add('abe@z.example', { subscribed_at: 3 });
    const whole = { email: 'ada.lovelace@x.example', webhook_url: 'https://hook.example/secret' };
    const short = { email: 'a…@x.example', webhook_url: '***' };
    const readers = [
      [viewer.client, short], [tenant.readKey, short], [editor.client, whole], [client, whole],
    ] as const;
    for (const [reader, seen] of readers) {
      expect((await reader.get(`${path}/${id}`)).data.subscriber).toMatchObject(seen);
      const { subscribers } = (await reader.get(`${path}?sort=subscribed_at&order=asc`)).data;
      expect(subscribers).toMatchObject([seen, { webhook_url: null }, {}]);
    }
    const sorted = async (reader: ApiClient) => emails((await reader.get(`${path}?sort=email&order=asc`)).data);
    expect(await sorted(editor.client)).toEqual(['abe@z.example', whole.email, 'bob@y.example']);
    expect(await sorted(viewer.client)).toEqual([short.email, 'b…@y.example', 'a…@z.example']);
    const found = async (search: string) =>
      emails((await viewer.client.get(`${path}?search=${encodeURIComponent(search)}`)).data);
    for (const search of ['ADA.lovelace@x.example', 'x.exam', '@x']) expect(await found(search)).toEqual([short.email]);
    for (const search of ['ada', 'lovelace', 'ada.lovelace@', 'e@x']) expect(await found(search)).toEqual([]);
  });

  test('is counted in the list of pages', async () => {
    await add('a@x.example');
    await add('b@x.example', { state: 'unverified' });
    const headers = { 'x-project-id': tenant.projectId };
    const { data } = await client.get(`/api/projects/${tenant.projectId}/status-pages`, { headers });
    expect(data.status_pages.find((page: Loose) => page.id === pageId).subscriber_count).toBe(1);
  });
});

describe('a subscriber', () => {
  test('gets new preferences; those not sent stay', async () => {
    const id = await add('ada@example.com');
    const change = { preferences: { maintenance: false, frequency: 'daily' } };
    const { data } = await client.patch(`${path}/${id}`, change);
    expect(data.message).toBe('Subscriber updated successfully');
    expect(data.subscriber.preferences).toEqual({ ...DEFAULT_PREFERENCES, maintenance: false, frequency: 'daily' });
    for (const body of [{}, { preferences: { frequency: 'weekly' } }, { preferences: {}, state: 'verified' }]) {
      expect((await client.patch(`${path}/${id}`, body)).code).toBe('VALIDATION_ERROR');
    }
  });

  test('can be sent back as it was read', async () => {
    const id = await add('ada@example.com');
    const { subscriber } = (await client.get(`${path}/${id}`)).data;
    const changed = { ...subscriber, email: 'eve@example.com', is_verified: false, unsubscribed_at: null };
    for (const body of [subscriber, changed]) {
      const response = await client.put(`${path}/${id}`, body);
      expect(response.data?.subscriber, response.text).toEqual(subscriber);
    }
  });

  test('is deleted, once', async () => {
    const id = await add('ada@example.com');
    expect((await client.delete(`${path}/${id}`)).status).toBe(200);
    expect((await client.delete(`${path}/${id}`)).error).toMatchObject({
      code: 'RESOURCE_NOT_FOUND', message: 'Subscriber not found',
    });
  });

  test('is unknown to other pages and organizations', async () => {
    const other = await newTenant(app);
    const [foreignPage, secondPage] = [await createPage(other), await createPage()];
    const foreign = await add('foreign@x.example', {}, foreignPage, other);
    const second = await add('second@x.example', {}, secondPage);
    for (const id of [foreign, second, randomUUID()]) {
      const responses = [await client.patch(`${path}/${id}`, { preferences: {} }), await client.delete(`${path}/${id}`)];
      expect(responses.map(({ code }) => code)).toEqual(['RESOURCE_NOT_FOUND', 'RESOURCE_NOT_FOUND']);
    }
    const { data } = await client.post(`${path}/bulk-delete`, { subscriber_ids: [foreign, second] });
    expect(data.result.success_count).toBe(0);
    const remaining = { page_id: { $in: [foreignPage, secondPage] } };
    expect(await app.db.collection(SUBSCRIBERS).countDocuments(remaining)).toBe(2);
  });

  test('is deleted with the page', async () => {
    await add('ada@example.com');
    await client.with({ 'x-project-id': tenant.projectId })
      .delete(`/api/projects/${tenant.projectId}/status-pages/${pageId}`);
    expect(await app.db.collection(SUBSCRIBERS).countDocuments({ page_id: pageId })).toBe(0);
  });
});

test('subscribers are deleted in bulk, and unknown ones are reported', async () => {
  const [one, two] = [await add('a@x.example'), await add('b@x.example')];
  const missing = randomUUID();
  const { data } = await client.post(`${path}/bulk-delete`, { subscriber_ids: [one, two, one, missing] });
  expect(data).toEqual({
    result: {
      success_count: 2, failed_count: 1,
      errors: [{ subscriber_id: missing, error: 'Subscriber not found' }],
    },
    message: 'Successfully deleted 2 of 3 subscribers',
  });
  expect((await client.post(`${path}/bulk-delete`, { subscriber_ids: [] })).code).toBe('VALIDATION_ERROR');
});

describe('the export', () => {
  test('is CSV of the subscribers that match the filters', async () => {
    const at = Date.UTC(2026, 0, 2, 3, 4, 5);
    const cells = { subscribed_at: at, verified_at: at };
    await add('ada@x.example', { ...cells, webhook_url: 'https://hook.example/?a="1",2' });
    await add('=cmd@x.example', { ...cells, preferences: { ...DEFAULT_PREFERENCES, all_incidents: false } });
    await add('new@x.example', { ...cells, state: 'unverified', verified_at: null });
    const { text, headers } = await client.get(`${path}/export?status=verified`);
    expect(headers.get('content-disposition')).toBe('attachment; filename="subscribers.csv"');
    expect(text.split('\r\n')).toEqual([
      'Email,Status,Subscribed At,Verified At,Critical Incidents,All Incidents,Maintenance,Frequency,Webhook URL',
      `'=cmd@x.example,Verified,2026-01-02T03:04:05.000Z,2026-01-02T03:04:05.000Z,Yes,No,Yes,immediate,`,
      'ada@x.example,Verified,2026-01-02T03:04:05.000Z,2026-01-02T03:04:05.000Z,Yes,Yes,Yes,immediate,'
        + '"https://hook.example/?a=""1"",2"',
      '',
    ]);
  });

  test('ends after 10,000 rows', async () => {
    const all = app.db.collection<SubscriberDoc>(SUBSCRIBERS);
    const row = (at: number) => pageSubscriber({ ...tenant, pageId }, `n${at}@x.example`);
    // In chunks that a busy machine can store within a request's deadline.
    for (let at = 0; at < 10_200; at += 200) {
      await all.insertMany(Array.from({ length: 200 }, (_, n) => row(at + n)));
    }
    const rows = (await client.get(`${path}/export`)).text.split('\r\n').slice(1, -1);
    expect(rows).toHaveLength(10_000);
    expect(new Set(rows).size).toBe(10_000);
  });
});
