import { expect, test } from 'vitest';
import { makeApp } from '../helpers/make-app.ts';
import { newMember, newTenant } from '../helpers/tenants.ts';

test('PUT changes a project, the organization and a member as PATCH does, and accepts their own representation', async () => {
  const app = await makeApp();
  const tenant = await newTenant(app);
  const member = await newMember(app, tenant, 'member');
  const { client } = tenant.owner;
  const { project } = (await client.get(`/api/projects/${tenant.projectId}`)).data;
  expect(
    (await client.put(`/api/projects/${project.id}`, { ...project, name: 'Main' })).data.project,
  ).toEqual({ ...project, name: 'Main' });
  expect((await client.put(`/api/projects/${project.id}`, {})).data.project.name).toBe('Main');
  const { organization } = (await client.get('/api/organization')).data;
  expect(
    (await client.put('/api/organization', { ...organization, name: 'Engines' })).data.organization,
  ).toEqual({ ...organization, name: 'Engines' });
  const one = (await client.get('/api/organization/members')).data.members.find(
    (each: { user_id: string }) => each.user_id === member.userId,
  );
  expect(
    (await client.put(`/api/organization/members/${member.userId}`, { ...one, role: 'viewer' })).data.member,
  ).toEqual({ ...one, role: 'viewer' });
  await app.close();
});

test('every route with PATCH also accepts PUT, except for comments', async () => {
  const app = await makeApp();
  const paths = (method: string) =>
    app.routes.filter((route) => route.method === method).map((route) => route.path);
  expect(
    paths('PATCH').filter((path) => !paths('PUT').includes(path) && !path.includes('/comments/')),
  ).toEqual([]);
  await app.close();
});
