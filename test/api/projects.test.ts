import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeApp } from '../helpers/make-app.ts';
import { newTenant } from '../helpers/tenants.ts';

test('projects can be created, listed and read, also with a key', async () => {
  const app = await makeApp();
  const tenant = await newTenant(app);
  const made = await tenant.owner.client.post('/api/projects', { name: ' Shop ' });
  expect(made.status).toBe(201);
  expect(made.data.project).toMatchObject({
    name: 'Shop', is_default: false, organization_id: tenant.organizationId, role: 'admin',
  });
  const list = await tenant.readKey.get('/api/projects');
  expect(
    list.data.projects.map((project: { name: string; role: string }) => [project.name, project.role]),
  ).toEqual([['Default', 'viewer'], ['Shop', 'viewer']]);
  expect((await tenant.readKey.get(`/api/projects/${made.data.project.id}`)).data.project.name).toBe('Shop');
  expect((await tenant.readKey.get(`/api/projects/${randomUUID()}`)).code).toBe('PROJECT_NOT_FOUND');
  const other = await newTenant(app);
  expect((await other.readKey.get(`/api/projects/${made.data.project.id}`)).code).toBe('PROJECT_NOT_FOUND');
  expect((await tenant.owner.client.post('/api/projects', { name: '' })).code).toBe('VALIDATION_ERROR');
  await app.close();
});

test('a plan limits projects, even for concurrent requests', async () => {
  const app = await makeApp({ plansJson: '{"scale":{"projects":4}}' });
  const tenant = await newTenant(app);
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, n) => tenant.owner.client.post('/api/projects', { name: `P${n}` })),
  );
  expect(responses.filter((response) => response.status === 201)).toHaveLength(3);
  const refused = responses.filter((response) => response.code === 'PLAN_LIMIT_EXCEEDED');
  expect(refused).toHaveLength(7);
  expect(refused[0]?.error.details).toEqual({ limit: 4, usage: 4 });
  await app.close();
});
