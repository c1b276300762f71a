import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

let app: TestApp;
let tenant: Tenant;
let client: ApiClient;
beforeAll(async () => {
  app = await makeApp();
  tenant = await newTenant(app);
  client = tenant.writeKey;
});
afterAll(() => app.close());

const monitor = { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
const send = (rawBody: string | Uint8Array, headers: Record<string, string> = {}) =>
  client.post('/api/monitors', undefined, { rawBody, headers });
const utf16 = Buffer.from(JSON.stringify(monitor), 'utf16le');

describe('a body that is not strict JSON', () => {
  test.each<[string, string | Uint8Array]>([
    ['truncated', '{"name":"Shop"'],
    ['no JSON at all', 'name=Shop'],
    ['two values', '{} {}'],
    ['a comment', '{/* */}'],
    ['single quotes', "{'name':'Shop'}"],
    ['NaN', '{"interval_seconds":NaN}'],
    ['10,000 levels', '['.repeat(10_000) + ']'.repeat(10_000)],
    ['10,000 levels unclosed', '{"a":'.repeat(10_000)],
    ['a duplicate key', '{"name":"a","name":"b"}'],
    ['a duplicate key by escape', '{"name":"a","n\\u0061me":"b"}'],
    ['__proto__', '{"__proto__":{"polluted":true}}'],
    ['__proto__ by escape', '{"\\u005f_proto__":{"polluted":true}}'],
    ['constructor.prototype', '{"constructor":{"prototype":{"polluted":true}}}'],
    ['a number beyond a double', '{"interval_seconds":1e999}'],
    ['a negative number beyond a double', '{"a":[1,-1e999]}'],
    ['unpaired surrogate', '{"name":"\\ud800"}'],
    ['the other half', '{"name":"a\\udc00b"}'],
    ['NUL', '{"name":"a\\u0000b"}'],
    ['a byte order mark', '\ufeff{}'],
    ['UTF-16', utf16],
    ['UTF-16 with its mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ['an overlong encoding', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc0, 0xaf, 0x22, 0x7d])],
  ])('%s is JSON_PARSE_ERROR', async (_name, body) => {
    const response = await send(body);
    expect([response.status, response.code]).toEqual([400, 'JSON_PARSE_ERROR']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('above 1 MB is BAD_REQUEST; 1 MB is accepted', async () => {
    const fit = `{"name":"${'x'.repeat(1024 * 1024 - 11)}"}`;
    expect(Buffer.byteLength(fit)).toBe(1024 * 1024);
    expect((await send(fit)).code).toBe('VALIDATION_ERROR');
    expect((await send(`${fit} `)).code).toBe('BAD_REQUEST');
    const response = await send(`{"name":"${'x'.repeat(5 * 1024 * 1024)}"}`);
    expect([response.status, response.code]).toEqual([400, 'BAD_REQUEST']);
    expect((await client.get('/api/monitors')).status).toBe(200);
  });

  test('of another content type is INVALID_INPUT', async () => {
    const text = JSON.stringify(monitor);
    for (const type of [
      'text/plain', 'application/x-www-form-urlencoded', 'application/xml',
      'application/json; charset=utf-16', 'application/jsonx', 'multipart/form-data; boundary=x',
    ]) {
      const response = await send(text, { 'content-type': type });
      expect([response.status, response.code], type).toEqual([400, 'INVALID_INPUT']);
    }
    expect((await send(text, { 'content-encoding': 'gzip' })).code).toBe('INVALID_INPUT');
    expect((await send(text, { 'content-type': 'application/json; charset=UTF-8' })).status).toBe(201);
  });

  test('that is valid but not an object is VALIDATION_ERROR, and so is a missing one', async () => {
    for (const body of ['[]', 'null', '"x"', '1', 'true']) {
      expect((await send(body)).code, body).toBe('VALIDATION_ERROR');
    }
    const { monitor: { id } } = (await send(JSON.stringify(monitor))).data as { monitor: { id: string } };
    for (const body of ['[]', 'null', '"x"']) {
      expect((await client.send('PATCH', `/api/monitors/${id}`, { rawBody: body })).code, body).toBe(
        'VALIDATION_ERROR',
      );
    }
    const none = await client.post('/api/monitors');
    expect(none.code).toBe('VALIDATION_ERROR');
    expect(none.error.details).toContainEqual({ code: 'invalid_type', path: ['name'], message: 'Required' });
  });
});

describe('operators and wrong types', () => {
  test.each([
    [{ name: { $gt: '' } }, 'name'],
    [{ target: { $ne: null } }, 'target'],
    [{ interval_seconds: '60' }, 'interval_seconds'],
    [{ interval_seconds: 60.5 }, 'interval_seconds'],
    [{ interval_seconds: [60] }, 'interval_seconds'],
    [{ tags: { $each: ['a'] } }, 'tags'],
    [{ $where: '1' }, '$where'],
    [{ _id: 'x' }, '_id'],
    [{ 'a.b': 1 }, 'a.b'],
    [{ deleted_at: 1 }, 'deleted_at'],
    [{ project_id: 'x' }, 'project_id'],
  ])('%j in a body is VALIDATION_ERROR', async (change, path) => {
    const response = await client.post('/api/monitors', { ...monitor, ...change });
    expect(response.code).toBe('VALIDATION_ERROR');
    expect(response.error.details[0].path).toEqual([path]);
  });

  test('in a login body is VALIDATION_ERROR', async () => {
    const response = await app.client.post('/api/auth/login', { email: { $gt: '' }, password: { $gt: '' } });
    expect(response.code).toBe('VALIDATION_ERROR');
  });

  test.each([
    'search[$ne]=x', 'status[]=a&status[]=b', 'status=active&status=paused', '$where=1', '__proto__=1',
    '__proto__[x]=1', 'constructor=1', 'a.b=1',
    'limit=0', 'limit=101', 'limit=-1', 'limit=1e9', 'limit=NaN', 'limit=', 'limit=5.5', 'offset=-1',
    'offset=99999999999999999999',
    'status=ACTIVE', 'type=http', 'type=FTP', 'sort_by=target', 'sort_order=up', 'group_id=x', 'search=%00',
    `search=${'x'.repeat(300)}`, 'unknown=1',
  ])('?%s is VALIDATION_ERROR', async (query) => {
    const response = await client.get(`/api/monitors?${query}`);
    expect([response.status, response.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(response.error.details.length).toBeGreaterThan(0);
  });
});

describe('an id in the path', () => {
  test.each([
    'x', '..%2f..%2fetc', '%00', '%zz', "'", '[object Object]', '00000000-0000-0000-0000-00000000000g',
  ])('%s is 400', async (id) => {
    for (const path of [`/api/monitors/${id}`, `/api/monitors/${id}/stats`]) {
      const response = await client.get(path);
      expect([response.status, response.code], path).toEqual([400, 'VALIDATION_ERROR']);
    }
  });

  test('is found in any case', async () => {
    const { data } = await client.post('/api/monitors', monitor);
    const response = await client.get(`/api/monitors/${data.monitor.id.toUpperCase()}`);
    expect(response.data.monitor.id).toBe(data.monitor.id);
  });
});

test('a search matches every character literally', async () => {
  const names =
    ['100% _sure_', 'a.*b', '(a+)+$', 'back\\slash', 'price $5', 'İstanbul', 'CAFÉ', '[x]{1}|y^z', 'a-b/c'];
  for (const name of names) {
    expect((await client.post('/api/monitors', { ...monitor, name })).status, name).toBe(201);
  }
  const find = async (search: string) => {
    const response = await client.get(`/api/monitors?search=${encodeURIComponent(search)}`);
    expect(response.status, search).toBe(200);
    return response.data.monitors.map((found: { name: string }) => found.name);
  };
  for (const name of names) expect(await find(name), name).toEqual([name]);
  expect(await find('%')).toEqual(['100% _sure_']);
  expect(await find('.*')).toEqual(['a.*b']);
  expect(await find('.*.*.*')).toEqual([]);
  expect(await find('café')).toEqual(['CAFÉ']);
  expect(await find('cafe\u0301')).toEqual(['CAFÉ']);
  expect(await find('BACK\\S')).toEqual(['back\\slash']);
  expect(await find('(A+)+$')).toEqual(['(a+)+$']);
  expect(await find('SHOP.EXAMPLE')).toHaveLength(
    (await client.get('/api/monitors')).data.pagination.total_count,
  );
});

// The app's database connection fails the test if a non-literal pattern reaches it.
test.each([
  '(a+)+$', '(a|a)*b', '^(([a-z])+.)+[A-Z]([a-z])+$', `${'a*'.repeat(100)}b`, '.*.*.*.*=.*', '(?=(a+))\\1+b',
])(
  'a search for %s, which would be slow as a pattern, matches literally',
  async (search) => {
    const name = `${search}${'a'.repeat(255)}`.slice(0, 255);
    const { writeKey } = await newTenant(app);
    for (const one of [name, 'a'.repeat(255)]) {
      expect((await writeKey.post('/api/monitors', { ...monitor, name: one })).status).toBe(201);
    }
    const { data } = await writeKey.get(`/api/monitors?search=${encodeURIComponent(search)}`);
    expect(data.monitors.map((found: { name: string }) => found.name)).toEqual([name]);
  },
);
