import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

/** Another organization's resources, by path. */
type Kind = 'monitor' | 'group' | 'key' | 'project' | 'member' | 'invitation';

const monitor = { name: 'Theirs', type: 'HTTP', target: 'https://theirs.example/', interval_seconds: 60 };

const ROUTES: [method: string, path: string, kind: Kind, body?: Loose][] = [
  ['GET', '/api/monitors/:id', 'monitor'],
  ['GET', '/api/monitors/:id/stats', 'monitor'],
  ['PUT', '/api/monitors/:id', 'monitor', { name: 'Mine' }],
  ['PATCH', '/api/monitors/:id', 'monitor', { name: 'Mine' }],
  ['DELETE', '/api/monitors/:id', 'monitor'],
  ['POST', '/api/monitors/:id/pause', 'monitor'],
  ['POST', '/api/monitors/:id/resume', 'monitor'],
  ['POST', '/api/monitors/:id/disable', 'monitor'],
  ['GET', '/api/groups/:id', 'group'],
  ['PATCH', '/api/groups/:id', 'group', { name: 'Mine' }],
  ['DELETE', '/api/groups/:id', 'group'],
  ['POST', '/api/auth/api-keys/:id/rotate', 'key'],
  ['DELETE', '/api/auth/api-keys/:id', 'key'],
  ['GET', '/api/projects/:id', 'project'],
  ['PATCH', '/api/projects/:id', 'project', { name: 'Mine' }],
  ['DELETE', '/api/projects/:id', 'project'],
  ['GET', '/api/projects/:id/members', 'project'],
  ['PUT', '/api/projects/:id/members', 'project', { members: [] }],
  ['PATCH', '/api/organization/members/:id', 'member', { role: 'viewer' }],
  ['DELETE', '/api/organization/members/:id', 'member'],
  ['DELETE', '/api/organization/invitations/:id', 'invitation'],
];

describe('resources of another organization are unknown:', () => {
  let app: TestApp;
  let tenant: Tenant;
  let theirs: Record<Kind, string>;
  const COLLECTIONS =
    ['monitors', 'groups', 'api_keys', 'projects', 'members', 'invitations', 'organizations'];
  let before: string;
  const dump = async () =>
    JSON.stringify(await Promise.all(COLLECTIONS.map((
      name,
    ) => app.db.collection(name).find({ organization_id: { $ne: tenant.organizationId } }).sort({ _id: 1 })
      .toArray())));

  beforeAll(async () => {
    app = await makeApp();
    tenant = await newTenant(app);
    const other = await newTenant(app);
    const { client } = other.owner;
    theirs = {
      monitor: (await client.post('/api/monitors', monitor)).data.monitor.id,
      group: (await client.post('/api/groups', { name: 'Theirs' })).data.id,
      key: (await client.get('/api/auth/api-keys')).data.keys[0].id,
      project: (await client.post('/api/projects', { name: 'Theirs' })).data.project.id,
      member: other.owner.userId,
      invitation: (await client.post(
        '/api/organization/invitations', { email: 'x@example.com', role: 'viewer' },
      )).data.invitation.id,
    };
    before = await dump();
  });
  afterAll(() => app.close());

  test.each(ROUTES)('%s %s', async (method, path, kind, body) => {
    const send = (id: string) =>
      tenant.owner.client.send(method, path.replace(':id', id), body === undefined ? {} : { body });
    const [foreign, unknown] = [await send(theirs[kind]), await send(randomUUID())];
    expect(foreign.status).toBe(404);
    expect(foreign.body).toEqual(unknown.body);
    expect((await send(theirs[kind].toUpperCase())).body).toEqual(unknown.body);
    expect(await dump()).toBe(before);
  });
});

describe('fields that a body must not set', () => {
  let app: TestApp;
  let tenant: Tenant;
  beforeAll(async () => {
    app = await makeApp();
    tenant = await newTenant(app);
  });
  afterAll(() => app.close());

  test.each<[string, string, Loose]>([
    [
      'POST', '/api/auth/register',
      { email: 'm@example.com', password: 'correct horse battery', name: 'M', email_verified: true },
    ],
    [
      'POST', '/api/auth/register',
      { email: 'm@example.com', password: 'correct horse battery', name: 'M', is_operator: true },
    ],
    ['POST', '/api/projects', { name: 'P', is_default: true }],
    ['POST', '/api/projects', { name: 'P', organization_id: randomUUID() }],
    ['POST', '/api/auth/api-keys', { name: 'k', created_by: randomUUID() }],
    [
      'POST', '/api/organization/invitations',
      { email: 'm@example.com', role: 'viewer', invited_by: randomUUID() },
    ],
    ['PUT', '/api/billing/plan', { plan: 'scale', maximum_monitors: 9 }],
    [
      'POST', '/api/auth/change-password',
      { current_password: 'a', new_password: 'correct horse battery', user_id: randomUUID() },
    ],
    ['POST', '/api/projects', { name: 'P', _id: randomUUID() }],
  ])('%s %s rejects %j', async (method, path, body) => {
    const response = await tenant.owner.client.send(method, path, { body });
    expect(response.code).toBe('VALIDATION_ERROR');
    expect(response.error.details[0].code).toBe('unrecognized_keys');
  });

  test('are ignored if responses contain them', async () => {
    const { organization } = (await tenant.owner.client.get('/api/organization')).data;
    const response = await tenant.owner.client.patch(
      '/api/organization', { ...organization, id: randomUUID(), plan: 'free', role: 'viewer' },
    );
    expect(response.data.organization).toEqual(organization);
  });
});

test('a page of another origin gets no cookie and no access', async () => {
  const app = await makeApp();
  const tenant = await newTenant(app);
  const headers = {
    origin: 'https://evil.example', 'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  };
  const login = await app.client.post(
    '/api/auth/login', { email: tenant.owner.email, password: tenant.owner.password }, { headers },
  );
  expect(login.status).toBe(200);
  expect(login.headers.has('set-cookie')).toBe(false);
  for (const path of ['/api/auth/login', '/api/monitors', '/api/organization', '/reset-password']) {
    const preflight = await app.client.send('OPTIONS', path, { headers });
    const granted = [...preflight.headers.keys()].filter((name) => name.startsWith('access-control-allow'));
    expect(granted, path).toEqual([]);
  }
  expect((await app.client.get(
    '/api/auth/me', { headers: { cookie: `token=${tenant.owner.token}; session=${tenant.owner.token}` } },
  )).code)
    .toBe('MISSING_AUTH');
  await app.close();
});
