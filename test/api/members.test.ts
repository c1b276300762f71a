import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';
import { TestProbe } from '../helpers/test-probe.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await makeApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await newTenant(app);
});

const path = (userId: string) => `/api/organization/members/${userId}`;

describe('the organization', () => {
  test('can be read by every member, renamed by admins, and accepts its own representation', async () => {
    const viewer = await newMember(app, tenant, 'viewer');
    const read = await viewer.client.get('/api/organization');
    expect(read.data.organization).toEqual({
      id: tenant.organizationId, name: "Owner's organization", role: 'viewer', plan: 'scale',
    });
    const admin = await newMember(app, tenant, 'admin');
    const renamed = await admin.client.patch(
      '/api/organization', { ...read.data.organization, name: ' Engines ', plan: 'free' },
    );
    expect(renamed.data.organization).toMatchObject({ name: 'Engines', plan: 'scale', role: 'admin' });
    expect((await viewer.client.patch('/api/organization', { name: 'Mine' })).code).toBe(
      'INSUFFICIENT_PERMISSIONS',
    );
    for (const body of [{ name: '' }, { name: 'a\nb' }, { name: 'x'.repeat(101) }, { owner: 'me' }]) {
      expect((await admin.client.patch('/api/organization', body)).code, JSON.stringify(body)).toBe(
        'VALIDATION_ERROR',
      );
    }
    expect((await tenant.writeKey.get('/api/organization')).code).toBe('JWT_REQUIRED');
  });
});

describe('members', () => {
  test('are listed with their roles, in the order they joined', async () => {
    await newMember(app, tenant, 'admin');
    const member = await newMember(app, tenant, 'member', { [tenant.projectId]: 'viewer' });
    const { members } = (await member.client.get('/api/organization/members')).data;
    expect(members.map((one: Loose) => one.role)).toEqual(['owner', 'admin', 'member']);
    expect(members[2]).toMatchObject({
      user_id: member.userId, email: member.email, name: 'member',
      project_roles: { [tenant.projectId]: 'viewer' },
    });
  });

  test('have a new role from their next request on', async () => {
    const person = await newMember(app, tenant, 'admin');
    expect((await person.client.get('/api/auth/api-keys')).status).toBe(200);
    const changed = await tenant.owner.client.patch(path(person.userId), { role: 'viewer' });
    expect(changed.data.member).toMatchObject({ user_id: person.userId, role: 'viewer' });
    expect((await person.client.get('/api/auth/api-keys')).code).toBe('INSUFFICIENT_PERMISSIONS');
    expect((await person.client.get('/api/monitors')).status).toBe(200);
    const back =
      await tenant.owner.client.patch(path(person.userId), { ...changed.data.member, role: 'admin' });
    expect(back.data.member.role).toBe('admin');
    expect((await person.client.get('/api/auth/api-keys')).status).toBe(200);
  });

  test('lose access with their next request when removed, while the organization keeps its keys', async () => {
    const person = await newMember(app, tenant, 'admin');
    const { key } = (await person.client.post('/api/auth/api-keys', { name: 'theirs' })).data;
    expect((await tenant.owner.client.delete(path(person.userId))).data).toEqual(
      { message: 'Member removed', revoked: { api_keys: 0, subscriptions: 0, enrolment_keys: 0 } },
    );
    expect((await person.client.get('/api/monitors')).code).toBe('ORGANIZATION_NOT_FOUND');
    expect((await person.client.get(
      '/api/monitors', { headers: { 'x-organization-id': tenant.organizationId } },
    )).code)
      .toBe('ORGANIZATION_MISMATCH');
    expect((await person.client.get('/api/auth/me')).data.organizations).toEqual([]);
    expect((await app.client.get('/api/monitors', { headers: { 'x-api-key': key } })).status).toBe(200);
    expect((await tenant.owner.client.delete(path(person.userId))).code).toBe('RESOURCE_NOT_FOUND');
  });

  test('are removed with the credentials that they created, if requested, and with no others', async () => {
    const person = await newMember(app, tenant, 'admin');
    const owner = tenant.owner.client;
    const works = async (key: string) =>
      (await app.client.get('/api/monitors', { headers: { 'x-api-key': key } })).status === 200;
    const theirs = (await person.client.post('/api/auth/api-keys', { name: 'theirs' })).data;
    const rotated = (await owner.post('/api/auth/api-keys', { name: 'rotated by them' })).data;
    const { key } = (await person.client.post(`/api/auth/api-keys/${rotated.id}/rotate`)).data;
    const taken = (await person.client.post('/api/auth/api-keys', { name: 'rotated by the owner' })).data;
    const rotatedBack = (await owner.post(`/api/auth/api-keys/${taken.id}/rotate`)).data;
    const { subscription } = (await person.client.post('/api/subscriptions', { name: 'Archive' })).data;
    const ours = (await owner.post('/api/subscriptions', { name: 'Ours' })).data.subscription;
    await owner.post('/api/regions', { id: 'lima', name: 'Lima', city: 'Lima', country: 'PE' });
    const enrolmentKeys = '/api/regions/lima/enrolment-keys';
    const rack = (await person.client.post(enrolmentKeys, { name: 'Rack' })).data;
    const pods = (await owner.post(enrolmentKeys, { name: 'Pods' })).data;

    const read = await owner.get(`${path(person.userId)}/credentials`);
    expect(read.data).toEqual({
      api_keys: [
        expect.objectContaining({ id: theirs.id, name: 'theirs', key_preview: theirs.key_preview }),
        expect.objectContaining({ id: rotated.id, name: 'rotated by them' }),
      ],
      subscriptions: [{ id: subscription.id, name: 'Archive', created_at: subscription.created_at }],
      enrolment_keys: [{ id: rack.enrolment_key.id, name: 'Rack', created_at: rack.enrolment_key.created_at }],
    });
    expect((await owner.delete(`${path(person.userId)}?revoke_credentials=yes`)).code).toBe('VALIDATION_ERROR');
    const removed = await owner.delete(`${path(person.userId)}?revoke_credentials=true`);
    expect(removed.data).toEqual({ message: 'Member removed', revoked: { api_keys: 2, subscriptions: 1, enrolment_keys: 1 } });
    expect(await Promise.all([theirs.key, key, rotatedBack.key, tenant.readKeyText].map(works))).toEqual(
      [false, false, true, true],
    );
    const { subscriptions } = (await owner.get('/api/subscriptions')).data;
    expect(subscriptions.map(({ id }: Loose) => id)).toEqual([ours.id]);
    expect((await owner.get('/api/billing')).data.usage.subscriptions).toBe(1);
    const left = (await owner.get(enrolmentKeys)).data.enrolment_keys;
    expect(left.map(({ id }: Loose) => id)).toEqual([pods.enrolment_key.id]);
    const enrol = (enrolmentKey: string) => app.client.post('/api/probes/enrol', new TestProbe().request(enrolmentKey));
    expect([(await enrol(rack.key)).status, (await enrol(pods.key)).status]).toEqual([401, 200]);
    expect((await owner.get('/api/audit-log?action=member.removed')).data.entries).toMatchObject([
      { resource: { id: person.userId }, fields: ['revoke_credentials'] },
    ]);
    expect((await owner.get(`${path(person.userId)}/credentials`)).code).toBe('RESOURCE_NOT_FOUND');
  });

  test('keep their credentials when the removal is rejected', async () => {
    const key = (await tenant.owner.client.post('/api/auth/api-keys', { name: 'theirs' })).data;
    const refused = await tenant.owner.client.delete(`${path(tenant.owner.userId)}?revoke_credentials=true`);
    expect(refused.code).toBe('CONFLICT');
    const response = await app.client.get('/api/monitors', { headers: { 'x-api-key': key.key } });
    expect(response.status).toBe(200);
  });

  test('always include an owner: the last one cannot be removed or demoted', async () => {
    for (const response of [
      await tenant.owner.client.delete(path(tenant.owner.userId)),
      await tenant.owner.client.patch(path(tenant.owner.userId), { role: 'admin' }),
    ]) expect([response.status, response.code]).toEqual([409, 'CONFLICT']);
    const second = await newMember(app, tenant, 'owner');
    expect((await tenant.owner.client.patch(path(tenant.owner.userId), { role: 'admin' })).status).toBe(200);
    expect((await second.client.delete(path(second.userId))).code).toBe('CONFLICT');
    expect((await second.client.patch(path(second.userId), { role: 'owner' })).status).toBe(200);
  });

  test('always include an owner, even when all owners demote each other concurrently', async () => {
    const others = [await newMember(app, tenant, 'owner'), await newMember(app, tenant, 'owner')];
    const owners = [tenant.owner, ...others];
    for (let iteration = 0; iteration < 3; iteration += 1) {
      await Promise.all(owners.map((owner, at) => owner.client.patch(
        path((owners[(at + 1) % 3] as { userId: string }).userId), { role: 'viewer' },
      )));
      const { members } = (await tenant.owner.client.get('/api/organization/members')).data;
      expect(members.filter((one: Loose) => one.role === 'owner').length).toBeGreaterThan(0);
    }
  });

  test('can be made owners, or demoted or removed as owners, only by owners', async () => {
    const admin = await newMember(app, tenant, 'admin');
    const viewer = await newMember(app, tenant, 'viewer');
    const second = await newMember(app, tenant, 'owner');
    expect((await admin.client.patch(path(viewer.userId), { role: 'owner' })).code).toBe(
      'INSUFFICIENT_PERMISSIONS',
    );
    expect((await admin.client.patch(path(admin.userId), { role: 'owner' })).code).toBe(
      'INSUFFICIENT_PERMISSIONS',
    );
    expect((await admin.client.patch(path(second.userId), { role: 'viewer' })).code).toBe(
      'INSUFFICIENT_PERMISSIONS',
    );
    expect((await admin.client.delete(path(second.userId))).code).toBe('INSUFFICIENT_PERMISSIONS');
    expect((await admin.client.patch(path(viewer.userId), { role: 'admin' })).status).toBe(200);
    expect((await tenant.owner.client.patch(path(viewer.userId), { role: 'owner' })).status).toBe(200);
  });

  test('of another organization are as unknown as nonexistent ones', async () => {
    const other = await newTenant(app);
    for (const send of [
      (id: string) => tenant.owner.client.delete(path(id)),
      (id: string) => tenant.owner.client.patch(path(id), { role: 'viewer' }),
    ]) {
      const [foreign, unknown] = [await send(other.owner.userId), await send(randomUUID())];
      expect([foreign.status, foreign.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
      expect(foreign.body).toEqual(unknown.body);
    }
    expect((await other.owner.client.get('/api/organization')).data.organization.role).toBe('owner');
    expect((await tenant.owner.client.delete(path('x'))).code).toBe('VALIDATION_ERROR');
  });
});
