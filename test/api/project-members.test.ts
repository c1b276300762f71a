import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';

let app: TestApp;
let tenant: Tenant;
let project: string;
beforeAll(async () => {
  app = await makeApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await newTenant(app);
  project = (await tenant.owner.client.post('/api/projects', { name: 'Shop' })).data.project.id;
});

const monitor = { name: 'M', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
const members = (id = project) => `/api/projects/${id}/members`;
const rolesIn = async (id = project) => Object.fromEntries(
  (await tenant.owner.client.get(members(id))).data.members.map((one: Loose) => [one.user_id, one.role]),
);

describe('the members of a project', () => {
  test('have roles that take effect at the next request, and lose them when they are omitted', async () => {
    const person = await newMember(app, tenant, 'member');
    const headers = { 'x-project-id': project };
    expect((await person.client.get('/api/monitors', { headers })).code).toBe('INSUFFICIENT_PERMISSIONS');
    const set =
      await tenant.owner.client.put(members(), { members: [{ user_id: person.userId, role: 'editor' }] });
    expect(set.status).toBe(200);
    expect(set.data.members).toContainEqual({
      user_id: person.userId, email: person.email, name: 'member', role: 'editor',
      organization_role: 'member',
    });
    expect((await person.client.post('/api/monitors', monitor, { headers })).status).toBe(201);
    await tenant.owner.client.put(members(), { members: [{ user_id: person.userId, role: 'viewer' }] });
    expect((await person.client.post('/api/monitors', monitor, { headers })).code).toBe(
      'INSUFFICIENT_PERMISSIONS',
    );
    await tenant.owner.client.put(members(), { members: [] });
    expect((await person.client.get('/api/monitors', { headers })).code).toBe('INSUFFICIENT_PERMISSIONS');
    expect(await rolesIn(tenant.projectId)).toMatchObject({ [person.userId]: 'editor' });
  });

  test('can be read, edited and put back', async () => {
    const [admin, viewer, one, other] = await Promise.all(
      (['admin', 'viewer', 'member', 'member'] as const).map((role) => newMember(app, tenant, role)),
    );
    await tenant.owner.client.put(
      members(),
      { members: [{ user_id: one?.userId, role: 'admin' }, { user_id: other?.userId, role: 'viewer' }] },
    );
    const read = (await tenant.owner.client.get(members())).data;
    const back = await tenant.owner.client.put(members(), read);
    expect(back.data).toEqual(read);
    expect(await rolesIn()).toEqual({
      [tenant.owner.userId]: 'admin', [admin?.userId ?? '']: 'admin', [viewer?.userId ?? '']: 'viewer',
      [one?.userId ?? '']: 'admin', [other?.userId ?? '']: 'viewer',
    });
  });

  test('cannot be outsiders, listed twice, or given a role that their organization role rules out', async () => {
    const [viewer, one] = [await newMember(app, tenant, 'viewer'), await newMember(app, tenant, 'member')];
    const outsider = (await newTenant(app)).owner;
    const put = (list: Loose) => tenant.owner.client.put(members(), { members: list });
    for (const [list, at] of [
      [[{ user_id: outsider.userId, role: 'viewer' }], ['members', 0, 'user_id']],
      [
        [{ user_id: one.userId, role: 'viewer' }, { user_id: one.userId, role: 'admin' }],
        ['members', 1, 'user_id'],
      ],
      [[{ user_id: viewer.userId, role: 'admin' }], ['members', 0, 'role']],
    ] as const) {
      const response = await put(list);
      expect(response.code).toBe('VALIDATION_ERROR');
      expect(response.error.details[0].path).toEqual(at);
    }
    for (const list of [
      undefined, [{ user_id: 'x', role: 'viewer' }], [{ user_id: one.userId, role: 'owner' }],
    ]) {
      expect((await put(list)).code).toBe('VALIDATION_ERROR');
    }
    expect(await rolesIn()).not.toHaveProperty(one.userId);
  });

  test('are as unknown as those of a nonexistent project to callers without access to it', async () => {
    const [other, plain] = [await newTenant(app), await newMember(app, tenant, 'member')];
    const foreign = await tenant.owner.client.get(members(other.projectId));
    expect(foreign.code).toBe('PROJECT_NOT_FOUND');
    expect(foreign.body).toEqual((await tenant.owner.client.get(members(randomUUID()))).body);
    expect((await tenant.owner.client.put(members(other.projectId), { members: [] })).code).toBe(
      'PROJECT_NOT_FOUND',
    );
    expect((await plain.client.get(members())).code).toBe('PROJECT_NOT_FOUND');
  });
});

describe('a project', () => {
  test('can be renamed, and accepts its own representation', async () => {
    const read = (await tenant.owner.client.get(`/api/projects/${project}`)).data.project;
    const renamed = await tenant.owner.client.patch(
      `/api/projects/${project}`, { ...read, name: 'Market', is_default: true },
    );
    expect(renamed.data.project).toEqual({ ...read, name: 'Market' });
    for (const body of [{ name: '' }, { name: 'x'.repeat(101) }, { plan: 'free' }]) {
      expect((await tenant.owner.client.patch(`/api/projects/${project}`, body)).code).toBe(
        'VALIDATION_ERROR',
      );
    }
    expect((await tenant.writeKey.patch(`/api/projects/${project}`, { name: 'X' })).code).toBe(
      'JWT_REQUIRED',
    );
    const other = await newTenant(app);
    expect((await other.owner.client.patch(`/api/projects/${project}`, { name: 'X' })).code).toBe(
      'PROJECT_NOT_FOUND',
    );
    expect((await other.owner.client.delete(`/api/projects/${project}`)).code).toBe('PROJECT_NOT_FOUND');
  });

  test('can be deleted when it is empty, along with its roles, and frees its place in the plan', async () => {
    const person = await newMember(app, tenant, 'member', { [project]: 'admin' });
    const roles = { [project]: 'viewer', [tenant.projectId]: 'viewer' };
    await tenant.owner.client.post(
      '/api/organization/invitations', { email: 'guest@example.com', role: 'member', project_roles: roles },
    );
    const used = async () => (await tenant.owner.client.get('/api/billing')).data.usage.projects;
    expect(await used()).toBe(2);
    expect((await tenant.owner.client.delete(`/api/projects/${project}`)).status).toBe(200);
    expect(await used()).toBe(1);
    expect((await tenant.owner.client.get(`/api/projects/${project}`)).code).toBe('PROJECT_NOT_FOUND');
    expect((await tenant.readKey.get('/api/monitors', { headers: { 'x-project-id': project } })).code).toBe(
      'PROJECT_NOT_FOUND',
    );
    const list = (await tenant.owner.client.get('/api/organization/members')).data.members;
    expect(list.find((one: Loose) => one.user_id === person.userId).project_roles).toEqual({});
    const [invitation] = (await tenant.owner.client.get('/api/organization/invitations')).data.invitations;
    expect(invitation.project_roles).toEqual({ [tenant.projectId]: 'viewer' });
    expect((await tenant.owner.client.delete(`/api/projects/${project}`)).code).toBe('PROJECT_NOT_FOUND');
  });

  test('cannot be deleted if it is the default one or has monitors or groups', async () => {
    const gone = await tenant.owner.client.delete(`/api/projects/${tenant.projectId}`);
    expect([gone.status, gone.code]).toEqual([409, 'CONFLICT']);
    const made =
      await tenant.writeKey.post('/api/monitors', monitor, { headers: { 'x-project-id': project } });
    expect((await tenant.owner.client.delete(`/api/projects/${project}`)).code).toBe('CONFLICT');
    const inside = tenant.writeKey.with({ 'x-project-id': project });
    const group = await inside.post('/api/groups', { name: 'G' });
    await tenant.writeKey.with({ 'x-project-id': project }).delete(`/api/monitors/${made.data.monitor.id}`);
    expect((await tenant.owner.client.delete(`/api/projects/${project}`)).error.message).toContain('groups');
    await inside.delete(`/api/groups/${group.data.id}`);
    expect((await tenant.owner.client.delete(`/api/projects/${project}`)).status).toBe(200);
  });
});
