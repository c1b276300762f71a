import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_VARIABLES, type VariableDoc } from '../../controller/monitors/variable.ts';
import { newId } from '../../shared/ids.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';

const SECRET = 'canary-of-a-variable';
const http = { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };

let app: TestApp;
let tenant: Tenant;
let owner: ApiClient;
let path: string;

beforeAll(async () => {
  app = await makeApp();
  tenant = await newTenant(app);
  owner = tenant.owner.client;
  path = `/api/projects/${tenant.projectId}/variables`;
});
afterAll(() => app.close());

async function create(name: string, value: string, is_secret = false, at = path, by = owner): Promise<string> {
  const response = await by.post(at, { name, value, is_secret });
  expect(response.status, response.text).toBe(201);
  return response.data.variable.id;
}
async function monitor(body: object): Promise<Loose> {
  const response = await owner.post('/api/monitors', { ...http, ...body });
  expect(response.status, response.text).toBe(201);
  return response.data.monitor;
}
const refusal = async (body: object): Promise<[string, string][]> => {
  const { error, text, status } = await owner.post('/api/monitors', { ...http, ...body });
  expect(status, text).toBe(400);
  return error.details.map((issue: Loose) => [issue.path.join('.'), issue.message]);
};
const storedIn = async (collection: string) => JSON.stringify(await app.db.collection(collection).find({}).toArray());

describe('a variable', () => {
  test('is created, listed, changed and deleted; the value of a secret one is never read', async () => {
    const id = await create('one', 'value');
    const secret = await create('two', SECRET, true);
    const listed = (await owner.get(path)).data.variables;
    expect(listed).toMatchObject([
      { id, name: 'one', value: 'value', is_secret: false, monitor_count: 0, monitors: [] },
      { id: secret, name: 'two', value: null, is_secret: true },
    ]);
    expect((await owner.put(`${path}/${secret}`, listed[1])).data.variable).toMatchObject({ name: 'two', value: null });
    expect((await owner.patch(`${path}/${id}`, { value: '', name: 'uno' })).data.variable)
      .toMatchObject({ id, name: 'uno', value: '' });
    expect((await owner.patch(`${path}/${id}`, { name: 'two' })).code).toBe('DUPLICATE_NAME');
    expect((await owner.post(path, { name: 'two', value: '' })).code).toBe('DUPLICATE_NAME');
    for (const value of [undefined, null, '***']) {
      const { error } = await owner.patch(`${path}/${secret}`, { is_secret: false, value });
      expect(error.details).toMatchObject([{ path: ['value'], message: 'Send the value with it to make a secret readable' }]);
    }
    expect((await owner.post(path, { name: 'stars', value: '***', is_secret: true })).error.details[0].path).toEqual(['value']);
    expect(await storedIn('variables')).not.toContain(SECRET);
    expect((await owner.patch(`${path}/${secret}`, { value: '***' })).data.variable.updated_at).toBe(listed[1].updated_at);
    expect((await owner.patch(`${path}/${secret}`, { is_secret: false, value: 'open' })).data.variable.value).toBe('open');
    for (const one of [id, secret]) expect((await owner.delete(`${path}/${one}`)).status).toBe(200);
    expect((await owner.delete(`${path}/${id}`)).code).toBe('RESOURCE_NOT_FOUND');
  });

  test.each([
    ['A', ''], ['1a', ''], ['a'.repeat(65), ''], ['a-b', ''], [undefined, ''], ['a', 'too long'.repeat(513)], ['a', undefined], ['a', null],
  ])('cannot have the name %s and the value %s', async (name, value) => {
    expect((await owner.post(path, { name, value })).code).toBe('VALIDATION_ERROR');
  });

  test('belongs to one project, is read by its viewers and changed by its editors', async () => {
    const other = await newTenant(app);
    const theirs = `/api/projects/${other.projectId}/variables`;
    const id = await create('shared', 'x', false, theirs, other.writeKey);
    expect((await owner.get(theirs)).code).toBe('ACCESS_DENIED');
    for (const send of [owner.patch(`${path}/${id}`, { value: 'y' }), owner.delete(`${path}/${id}`)]) {
      expect((await send).code).toBe('RESOURCE_NOT_FOUND');
    }
    expect((await refusal({ target: 'https://shop.example/{{shared}}' }))[0]?.[0]).toBe('target');
    const viewer = (await newMember(app, tenant, 'viewer')).client;
    expect((await viewer.get(path)).status).toBe(200);
    expect((await viewer.post(path, { name: 'a', value: '' })).status).toBe(403);
    expect((await tenant.readKey.post(path, { name: 'a', value: '' })).code).toBe('READ_ONLY_API_KEY');
    const { data: { key } } = await owner.post('/api/auth/api-keys', {
      name: 'elsewhere', scope: 'read_write',
      project_ids: [(await owner.post('/api/projects', { name: 'Other' })).data.project.id],
    });
    expect((await app.client.with({ 'x-api-key': key }).get(path)).code).toBe('ACCESS_DENIED');
  });

  test('is written to the audit log by name of its fields', async () => {
    const id = await create('audited', SECRET, true);
    await owner.patch(`${path}/${id}`, { value: `${SECRET}-2` });
    await owner.delete(`${path}/${id}`);
    const { text, data } = await owner.get('/api/audit-log?limit=3');
    expect(data.entries.map(({ action, resource, fields }: Loose) => [action, resource.id, fields])).toEqual([
      ['variable.deleted', id, []], ['variable.changed', id, ['value']],
      ['variable.created', id, ['name', 'value', 'is_secret']],
    ]);
    expect(text).not.toContain(SECRET);
  });

  test('is one of at most a hundred, also for simultaneous requests, and keeps its project from being deleted', async () => {
    const project = (await owner.post('/api/projects', { name: 'Full' })).data.project.id;
    const full = `/api/projects/${project}/variables`;
    const id = await create('v0', '', false, full);
    const { variables } = app.controller.stores;
    const [first] = await variables.findMany([id]) as [VariableDoc];
    await Promise.all(Array.from({ length: MAX_VARIABLES - 2 }, (_, at) =>
      variables.insertIfFree({ ...first, _id: newId(first.created_at), name: `v${at + 1}` })));
    const responses = await Promise.all([1, 2, 3, 4].map((at) => owner.post(full, { name: `last${at}`, value: '' })));
    expect(responses.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(1);
    expect(responses.find(({ status }) => status !== 201)?.code).toBe('FAIR_USE_LIMIT_REACHED');
    expect((await owner.get(full)).data.variables.length).toBeLessThanOrEqual(MAX_VARIABLES);
    expect((await owner.delete(`/api/projects/${project}`)).error.message).toContain('still has variables');
  });
});

describe('a monitor', () => {
  test('is saved with known names only, shows them instead of values, and is found by them', async () => {
    await create('host', 'api.shop.example');
    await create('token', SECRET, true);
    const made = await monitor({
      type: 'KEYWORD', target: 'https://{{host}}/{{token}}', headers: { 'X-Token': '{{token}}', 'X-Text': '\\{{none}} {{ {{"a"}}' },
      method: 'POST', body: '{"t":"{{token}}"}', auth: { type: 'basic', username: 'u{{host}}', password: '{{token}}' },
      keywords: [{ text: '{{token}}' }], domain_monitoring: { enabled: true },
    });
    expect(made).toMatchObject({ target: 'https://{{host}}/{{token}}', headers: { 'X-Token': '{{token}}' } });
    const export_ = await owner.get('/api/export?format=yaml');
    expect(export_.text).toContain('{{token}}');
    for (const { text } of [export_, await owner.get('/api/monitors'), await owner.get(`/api/monitors/${made.id}`)]) {
      expect(text).not.toContain(SECRET);
    }
    expect((await owner.get(`/api/monitors/${made.id}/domain`)).text)
      .toContain('The host of the target contains a variable');
    const { variables } = (await owner.get(path)).data;
    expect(variables.find(({ name }: Loose) => name === 'token'))
      .toMatchObject({ monitor_count: 1, monitors: [{ id: made.id, name: 'Shop' }] });
    expect((await owner.put(`/api/monitors/${made.id}`, made)).status).toBe(200);
    const unknown = 'Unknown variable: {{nope}}. Write \\{{ for a literal {{';
    expect(await refusal({
      type: 'KEYWORD', target: 'https://{{nope}}/', headers: { A: '{{nope}}' }, body: '{{nope}}', method: 'POST',
      auth: { type: 'bearer', token: '{{nope}}' }, keywords: [{ text: 'ok' }, { text: '{{nope}}' }],
    })).toEqual([
      ['target', unknown], ['headers.A', unknown], ['body', unknown], ['auth.token', unknown], ['keywords.1.text', unknown],
    ]);
    expect(await refusal({ type: 'TCP', target: '{{host}}:25', send: 'HELO {{nope}}' })).toEqual([['send', unknown]]);
    expect(await refusal({ body: '{{ host }}' }))
      .toEqual([['body', 'Not the name of a variable: {{ host }}. Write \\{{ for a literal {{']]);
    expect((await owner.post('/api/monitors/test', { ...http, target: 'https://{{nope}}/' })).error.details[0].path)
      .toEqual(['target']);
  });

  test('is named when a new value would make it invalid, and when its variable is deleted or renamed', async () => {
    const id = await create('part', 'a\nb', true);
    expect(await refusal({ headers: { X: '{{part}}' } })).toEqual([
      ['headers.X', 'Header value must not contain line breaks or control characters'],
    ]);
    await owner.patch(`${path}/${id}`, { value: 'good' });
    const { id: monitorId } = await monitor({ name: 'The "user"', target: 'https://{{part}}/', auth: { type: 'bearer', token: '{{part}}' } });
    for (const [value, message] of [
      ['a<b', 'target: Target must be an absolute URL'], ['169.254.169.254', 'target: Checks must not reach the address in the value'],
    ] as const) {
      const { error, text } = await owner.patch(`${path}/${id}`, { value });
      expect(error.details).toEqual([{ code: 'custom', path: ['value'], message: `In the monitor "The "user"", ${message}` }]);
      expect(text).not.toContain(value);
    }
    expect((await owner.patch(`${path}/${id}`, { value: 'better' })).status).toBe(200);
    expect((await owner.delete(`${path}/${id}`)).error).toMatchObject({
      code: 'CONFLICT', details: { monitors: [{ id: monitorId, name: 'The "user"' }] },
    });
    expect((await owner.patch(`${path}/${id}`, { name: 'worse' })).code).toBe('CONFLICT');
    await owner.delete(`/api/monitors/${monitorId}`);
    expect((await owner.delete(`${path}/${id}`)).status).toBe(200);
  });

  test('with a literal {{ that was stored before stays so until it is saved again', async () => {
    const { id } = await monitor({ method: 'POST', body: 'x' });
    const collection = app.db.collection<{ _id: string }>('monitors');
    await collection.updateOne({ _id: id }, { $set: { 'http.body': '{{host}} {{none}}' } });
    await owner.post('/api/monitors/bulk', { action: 'tag', tags: ['a'], monitor_ids: [id] });
    expect(await collection.findOne({ _id: id })).not.toHaveProperty('variable_ids');
    expect((await owner.patch(`/api/monitors/${id}`, { name: 'New' })).error.details[0].path).toEqual(['body']);
    expect((await owner.patch(`/api/monitors/${id}`, { body: '{{host}} \\{{none}}' })).status).toBe(200);
    expect((await collection.findOne({ _id: id }) as Loose).variable_ids).toHaveLength(1);
    expect((await owner.patch(`/api/monitors/${id}`, { body: 'none' })).status).toBe(200);
    expect((await collection.findOne({ _id: id }) as Loose).variable_ids).toEqual([]);
  });

  test('keeps a variable that is deleted while it is saved', async () => {
    const id = await create('fleeting', 'value');
    const { variables, monitors } = app.controller.stores;
    const insert = monitors.insert.bind(monitors);
    monitors.insert = async (doc) => {
      expect((await owner.delete(`${path}/${id}`)).status).toBe(200);
      monitors.insert = insert;
      return insert(doc);
    };
    const { id: monitorId } = await monitor({ body: '{{fleeting}}', method: 'POST' });
    expect((await variables.findMany([id]))[0]).toMatchObject({ name: 'fleeting', value: 'value' });
    expect((await owner.delete(`${path}/${id}`)).code).toBe('CONFLICT');
    await owner.delete(`/api/monitors/${monitorId}`);
  });

  test('gets a new revision of its check with a new value, even if the controller stops between', async () => {
    const id = await create('renewed', 'one', true);
    const active = await monitor({ name: 'Active', headers: { X: '{{renewed}}' } });
    const paused = await monitor({ name: 'Paused', headers: { X: '{{renewed}}' } });
    await owner.post(`/api/monitors/${paused.id}/pause`);
    const { variables, monitors } = app.controller.stores;
    const revisionsOf = async () => (await monitors.findByIds([active.id, paused.id]))
      .sort((one, other) => (one.name < other.name ? -1 : 1)).map((doc) => doc.check_revision);
    const [first, still] = await revisionsOf();
    await owner.patch(`${path}/${id}`, { value: 'two' });
    expect(await revisionsOf()).toEqual([(first as number) + 1, still]);
    await owner.patch(`${path}/${id}`, { value: 'two' });
    expect(await revisionsOf(), 'nothing changed').toEqual([(first as number) + 1, still]);
    const [stored] = await variables.findMany([id]);
    expect(stored).not.toHaveProperty('changed_at');
    await variables.revise(stored as never, { name: 'renewed', value: 'three', is_secret: true, updated_at: 1, changed_at: Date.now() });
    await owner.patch(`${path}/${await create('another', 'x')}`, { value: 'y' });
    expect(await revisionsOf(), 'another change completes it').toEqual([(first as number) + 2, still]);
  });
});

describe('an import', () => {
  let client: ApiClient;
  beforeAll(async () => {
    const { id } = (await owner.post('/api/projects', { name: 'As code' })).data.project;
    client = owner.with({ 'x-project-id': id });
  });
  const send = async (document: object, query = ''): Promise<Loose> => {
    const { data, text, status } = await client.post(`/api/import${query}`, document);
    expect(status, text).toBe(200);
    return data.summary;
  };

  test('creates variables with the monitors that use them, and one of an export changes nothing', async () => {
    const document = {
      variables: [{ name: 'host', value: 'a.example' }, { name: 'token', value: SECRET, is_secret: true }],
      monitors: [{ ...http, target: 'https://{{host}}/', headers: { X: '{{token}}' } }],
    };
    expect((await client.post('/api/import', { monitors: document.monitors })).error.details).toHaveLength(2);
    expect(await send(document, '?dry_run=true')).toMatchObject({ created: 3 });
    expect(await send(document, '?owner=file')).toMatchObject({ created: 3 });
    const exported = (await client.get('/api/export')).data;
    expect(exported.variables).toEqual([
      { name: 'host', value: 'a.example', is_secret: false }, { name: 'token', value: '***', is_secret: true },
    ]);
    expect(await send(exported)).toEqual({ created: 0, updated: 0, unchanged: 3 });
    expect(await send(document)).toEqual({ created: 0, updated: 0, unchanged: 3 });
    const changed = await client.post('/api/import?dry_run=true', { variables: [{ name: 'token', value: 'other-value' }] });
    expect(changed.data.variables).toMatchObject([{ action: 'update', differences: [{ field: 'value', before: '***', after: '***' }] }]);
  });

  test('refuses a new secret without a value, a name listed twice, and values that make other monitors invalid', async () => {
    const refused = await client.post('/api/import', { variables: [
      { name: 'new', value: '***', is_secret: true }, { name: 'host', value: 'a.example' }, { name: 'host', value: 'x' }, { name: 'other' },
      { name: 'token', value: '***', is_secret: false },
    ] });
    expect(refused.error.details.map(({ path: at, message }: Loose) => `${at.join('.')}: ${message}`)).toEqual([
      'variables.0.value: *** keeps the stored value, but no value is stored', 'variables.2.name: Listed twice',
      'variables.3.value: Required', 'variables.4.value: Send the value with it to make a secret readable',
    ]);
    const variables = [{ name: 'host', value: 'b c' }];
    expect((await client.post('/api/import', { variables })).error.details).toEqual([{
      code: 'custom', path: ['variables', 0, 'value'], message: 'In the monitor "Shop", target: Target must be an absolute URL',
    }]);
    const monitors = [{ ...http, target: 'https://shop.example/{{host}}' }];
    expect(await send({ variables, monitors })).toMatchObject({ updated: 2 });
    expect((await client.get('/api/monitors')).data.monitors[0].target).toBe('https://shop.example/{{host}}');
  });

  test('with prune removes variables, unless other monitors use them', async () => {
    await send({ monitors: [{ ...http, name: 'Other', headers: { X: '{{token}}' } }] });
    const rest = { monitors: [{ ...http, headers: {} }] };
    const conflict = await client.post('/api/import?owner=file&prune=true', rest);
    expect(conflict.error, conflict.text).toMatchObject({ code: 'CONFLICT', details: { monitors: [{ name: 'Other' }] } });
    await send({ monitors: [{ ...http, name: 'Other', headers: {} }] });
    expect(await send(rest, '?owner=file&prune=true')).toMatchObject({ deleted: 2, updated: 1 });
    expect((await client.get('/api/export')).data.variables).toEqual([]);
  });
});
