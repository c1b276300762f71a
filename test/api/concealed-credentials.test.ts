import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';

const CANARY = 'canary-credential';
const http = { type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
const MONITORS: Loose[] = [
  {
    ...http, name: 'Basic', method: 'POST', body: `{"password":"${CANARY}"}`,
    auth: { type: 'basic', username: `${CANARY}-user`, password: CANARY },
    headers: { Accept: 'text/html', 'X-Api-Key': CANARY, cookie: CANARY, 'X-Vault-Token': CANARY, Custom: CANARY },
  },
  { ...http, name: 'Header', headers: { Authorization: `Bearer ${CANARY}`, 'user-agent': 'Probe' } },
  {
    ...http, name: 'Bearer', type: 'KEYWORD', keywords: [{ text: 'ok' }],
    http_config: { method: 'POST', body: CANARY, auth: { type: 'bearer', token: CANARY } },
  },
  { name: 'Job', type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 60 },
  { ...http, name: 'Open' },
  {
    name: 'Redis', type: 'TCP', target: 'redis.example:6379', interval_seconds: 60,
    send: `AUTH ${CANARY}\\r\\n`, expect: '+OK',
  },
];

let app: TestApp;
let tenant: Tenant;
let owner: ApiClient;
let viewer: ApiClient;
let ids: string[];
let heartbeatToken: string;
const idOf = (name: string) => ids[MONITORS.findIndex((one) => one['name'] === name)] as string;
const stored = async (name: string) => {
  const { organizationId, projectId } = tenant;
  return (await app.monitors.find({ organizationId, projectId }, idOf(name))) as Loose;
};
const readAs = async (client: ApiClient, name: string) =>
  (await client.get(`/api/monitors/${idOf(name)}`)).data.monitor;

beforeAll(async () => {
  app = await makeApp();
  tenant = await newTenant(app);
  owner = tenant.owner.client;
  viewer = (await newMember(app, tenant, 'viewer')).client;
  const responses = [];
  const group = (await owner.post('/api/groups', { name: 'All' })).data.id;
  for (const monitor of MONITORS) responses.push(await owner.post('/api/monitors', { ...monitor, group_id: group }));
  ids = responses.map((response) => {
    expect(response.status, response.text).toBe(201);
    return response.data.monitor.id;
  });
  heartbeatToken = (await stored('Job')).heartbeat.token;
});
afterAll(() => app.close());

describe('a read key and a viewer', () => {
  test('get no credential of a check and no heartbeat token on any route that they can read', async () => {
    const hook = {
      name: 'Hook', type: 'webhook',
      config: { url: `https://hooks.example.com/${CANARY}`, headers: { 'X-Token': CANARY } },
    };
    const facts = { severity: 'major', type: 'timeout', error_message: 'x', title: 'x' };
    const incidents = await Promise.all(ids.map(async (check_id) =>
      (await owner.post('/api/incidents', { ...facts, check_id })).data.incident.id as string));
    const { id: comment } =
      (await owner.post(`/api/incidents/${incidents[0]}/comments`, { comment_text: 'Seen' })).data.comment;
    await owner.patch(`/api/incidents/${incidents[0]}`, { description: 'Changed' });
    await owner.post('/api/regions', { id: 'eu', name: 'EU', city: 'Oslo', country: 'NO' });
    const probe = await owner.post('/api/probes', { region_id: 'eu', name: 'eu-1' });
    const locations: Record<string, string[]> = {
      monitors: ids, incidents, comments: [comment], groups: [(await stored('Basic')).group_id],
      integrations: [(await owner.post('/api/integrations', hook)).data.integration.id],
      projects: [tenant.projectId], members: [tenant.owner.userId], probes: [probe.data?.probe?.id ?? randomUUID()],
      regions: ['eu'],
    };
    const pathsOf = (path: string): string[] => {
      const at = path.indexOf('/:');
      if (at < 0) return [path];
      const [noun = '', rest = ''] = [path.slice(0, at).split('/').at(-1), path.slice(at + 2)];
      const tail = rest.includes('/') ? rest.slice(rest.indexOf('/')) : '';
      return (locations[noun] ?? [randomUUID()]).flatMap((id) => pathsOf(`${path.slice(0, at)}/${id}${tail}`));
    };
    const routes = app.routes.filter(({ method, responses, path }) => method === 'GET'
      && !Object.values(responses).some((declared) => 'isStream' in declared) && !path.startsWith('/api/heartbeat/'));
    const shown = new Map<ApiClient, string[]>();
    for (const client of [tenant.readKey, viewer]) {
      const seen: string[] = [];
      for (const path of routes.flatMap((route) => pathsOf(route.path))) {
        const { status, text } = await client.get(path);
        if (status < 300) seen.push(path);
        expect(text, `${path} tells a credential`).not.toContain(CANARY);
        expect(text, `${path} tells the token of a heartbeat`).not.toContain(heartbeatToken);
        expect(text, path).not.toContain(Buffer.from(`${CANARY}-user:${CANARY}`).toString('base64'));
      }
      shown.set(client, seen);
    }
    for (const client of [tenant.readKey, viewer]) {
      expect(shown.get(client)?.length).toBeGreaterThan(40);
      expect(shown.get(client)).toEqual(expect.arrayContaining([
        '/api/monitors', '/api/export', '/api/incidents', ...ids.map((id) => `/api/monitors/${id}`),
        ...locations['groups']!.map((id) => `/api/groups/${id}`), ...incidents.map((id) => `/api/incidents/${id}/timeline`),
      ]));
      for (const query of ['format=yaml', 'format=json']) {
        const { text } = await client.get(`/api/export?${query}`);
        expect(text).toContain('Basic');
        expect(text).not.toMatch(new RegExp(`${CANARY}|${heartbeatToken}`));
      }
    }
    expect(shown.get(viewer)).toEqual(expect.arrayContaining(['/api/dashboard/overview', '/api/probes']));
    const published = JSON.stringify(app.owners.publishedEvents);
    expect(published).toContain('"kind":"incident"');
    expect(published).not.toMatch(new RegExp(`${CANARY}|${heartbeatToken}`));
  });

  test('see *** instead of each credential, and everything else', async () => {
    for (const client of [tenant.readKey, viewer]) {
      expect(await readAs(client, 'Basic')).toMatchObject({
        target: 'https://shop.example/', method: 'POST', body: '***', auth: { type: 'basic', username: '***', password: '***' },
        headers: { Accept: 'text/html', 'X-Api-Key': '***', cookie: '***', 'X-Vault-Token': '***', Custom: '***' },
      });
      expect(await readAs(client, 'Header')).toMatchObject({ headers: { Authorization: '***', 'user-agent': 'Probe' } });
      expect(await readAs(client, 'Bearer')).toMatchObject({ auth: { type: 'bearer', token: '***' } });
      expect(await readAs(client, 'Redis')).toMatchObject({ tcp_config: { send: '***', expect: '+OK' } });
      expect(await readAs(client, 'Job')).toMatchObject({ target: '***', heartbeat_token: '***', heartbeat_interval: 3600 });
      const { monitors } = (await client.get(`/api/groups/${(await stored('Job')).group_id}`)).data;
      expect(monitors.find((one: Loose) => one.id === idOf('Job')).target).toBe('***');
      const { monitors: seen } = (await client.get('/api/monitors/overview')).data;
      expect(seen.find((one: Loose) => one.id === idOf('Job')).target).toBe('***');
      expect(await readAs(client, 'Open'), 'it has no body').toMatchObject({ body: null });
    }
  });

  test('cannot find a heartbeat by its token', async () => {
    for (const client of [tenant.readKey, viewer, owner]) {
      const { data } = await client.get(`/api/monitors?search=${heartbeatToken.slice(0, 4)}`);
      expect(data.pagination.total_count).toBe(0);
    }
    expect((await viewer.get('/api/monitors?search=***')).data.pagination.total_count).toBe(0);
    expect((await viewer.get('/api/monitors?search=jo')).data.pagination.total_count).toBe(1);
  });
});

test('an editor, an owner and a read-write key see the credentials', async () => {
  const editor = (await newMember(app, tenant, 'member')).client;
  for (const client of [editor, owner, tenant.writeKey]) {
    expect(await readAs(client, 'Basic')).toMatchObject({ auth: { password: CANARY }, headers: { Custom: CANARY } });
    expect(await readAs(client, 'Job')).toMatchObject({ target: heartbeatToken, heartbeat_token: heartbeatToken });
  }
});

describe('a monitor as a viewer reads it', () => {
  test('changes nothing when an editor sends it back', async () => {
    for (const { name } of MONITORS) {
      const read = await readAs(viewer, name);
      const [listed] = (await tenant.readKey.get(`/api/monitors?search=${name}`)).data.monitors;
      for (const body of [read, listed]) {
        const response = await owner.put(`/api/monitors/${idOf(name)}`, body);
        expect(response.status, response.text).toBe(200);
      }
      expect((await stored(name)).revision, name).toBe(1);
    }
  });

  test('changes nothing when an export of it is imported', async () => {
    const text = (await viewer.get('/api/export?format=yaml')).text;
    const exported = (await tenant.readKey.get('/api/export')).data;
    const responses = [
      await owner.post('/api/import', exported),
      await owner.send('POST', '/api/import', { rawBody: text, headers: { 'content-type': 'application/yaml' } }),
    ];
    for (const { data, text: responseText } of responses) {
      expect(data?.summary, responseText).toEqual({ created: 0, updated: 0, unchanged: 7 });
    }
    for (const { name } of MONITORS) expect((await stored(name)).revision, name).toBe(1);
  });

  test('cannot become a new monitor that lacks its credentials', async () => {
    const { writeKey: elsewhere } = await newTenant(app);
    const refused = await elsewhere.post('/api/import', (await viewer.get('/api/export')).data);
    expect(refused.code).toBe('VALIDATION_ERROR');
    const paths = refused.error.details.map((issue: { path: unknown[] }) => issue.path.join('.'));
    expect(paths).toEqual(expect.arrayContaining(['monitors.0.headers.X-Api-Key', 'monitors.1.headers.Authorization']));
    expect(paths).toEqual(expect.arrayContaining(['monitors.2.body', 'monitors.5.tcp_config.send']));
    expect((await elsewhere.get('/api/monitors')).data.pagination.total_count).toBe(0);
    const made = await owner.post('/api/monitors', { ...http, name: 'New', auth: { type: 'basic', username: 'u', password: '***' } });
    expect(made.error.details).toEqual([{
      code: 'custom', path: ['auth', 'password'], message: '*** keeps the stored value, but no value is stored',
    }]);
    for (const [field, value] of [['target', '***'], ['target', null], ['body', '***']] as const) {
      const { error } = await owner.post('/api/monitors', { ...http, name: 'New', [field]: value });
      expect(error.details[0].path).toEqual([field]);
    }
    const redis = { ...MONITORS.find(({ name }) => name === 'Redis'), name: 'New', send: '***' };
    expect((await owner.post('/api/monitors', redis)).error.details[0].path).toEqual(['send']);
    expect((await owner.post('/api/monitors/test', { ...http, headers: { 'X-Api-Key': '***' } })).error.details[0])
      .toMatchObject({ path: ['headers', 'X-Api-Key'], message: '*** keeps the stored value, but no value is stored' });
  });
});

test('sending *** keeps one credential while the others change', async () => {
  const path = `/api/monitors/${idOf('Basic')}`;
  const change = async (body: Loose) => {
    const response = await owner.patch(path, body);
    expect(response.status, response.text).toBe(200);
    return (await stored('Basic')).http;
  };
  expect((await change({ auth: { type: 'basic', username: 'new', password: '***' } })).auth)
    .toEqual({ type: 'basic', username: 'new', password: CANARY });
  expect((await change({ http_config: { auth: { type: 'basic', username: '***', password: 'next' } } })).auth)
    .toEqual({ type: 'basic', username: 'new', password: 'next' });
  expect((await change({ headers: { 'x-api-key': '***', Custom: 'seen' } })).headers)
    .toEqual({ 'x-api-key': CANARY, Custom: 'seen' });
  expect((await owner.patch(path, { headers: { 'X-Other': '***' } })).code).toBe('VALIDATION_ERROR');
  expect((await owner.patch(path, { auth: { type: 'bearer', token: '***' } })).code).toBe('VALIDATION_ERROR');
  expect((await change({ body: '***', target: '***' })).body).toContain(CANARY);
  expect((await stored('Basic')).target).toBe('https://shop.example/');
  expect((await change({ body: null })).body).toContain(CANARY);
  expect((await change({ body: '', auth: null }))).toMatchObject({ body: null, auth: null });
});

test('the API reference documents what is concealed', async () => {
  const document = (await owner.get('/api/openapi.json')).body;
  for (const path of ['/api/monitors', '/api/monitors/{id}', '/api/groups/{id}', '/api/export']) {
    expect(document.paths[path].get.description, path).toContain('credentials read `***`');
  }
});
