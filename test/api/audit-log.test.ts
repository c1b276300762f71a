import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';
import { root } from '../root.mjs';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await makeApp();
  tenant = await newTenant(app);
});
afterAll(() => app.close());

const monitor = {
  name: 'Shop', type: 'HTTP', target: 'https://shop.example/?token=very-secret', interval_seconds: 60,
};
const log = async (query = '') => (await tenant.owner.client.get(`/api/audit-log${query}`)).data;

describe('the audit log', () => {
  test('records the user, action and request of each change, with field names but no values', async () => {
    const made =
      await tenant.writeKey.post('/api/monitors', monitor, { headers: { 'x-request-id': 'req-made-1' } });
    const { id } = made.data.monitor;
    const editor = await newMember(app, tenant, 'member');
    await editor.client.patch(`/api/monitors/${id}`, { name: 'Shop 2' });
    const before = Date.now();
    await editor.client.post(`/api/monitors/${id}/pause`);
    const { entries } = await log();
    expect(entries.slice(0, 3)).toEqual([
      expect.objectContaining({
        action: 'monitor.paused', actor: { type: 'user', id: editor.userId, name: 'member' },
        resource: { type: 'monitor', id }, fields: [],
      }),
      expect.objectContaining({
        action: 'monitor.changed', resource: { type: 'monitor', id }, fields: ['name'],
      }),
      expect.objectContaining({
        action: 'monitor.created',
        actor: { type: 'api_key', id: expect.any(String) as string, name: 'writer' },
        resource: { type: 'monitor', id },
        fields: ['name', 'type', 'target', 'interval_seconds'], request_id: made.headers.get('x-request-id'),
        organization_id: tenant.organizationId, project_id: tenant.projectId,
      }),
    ]);
    expect(JSON.stringify(entries)).not.toContain('very-secret');
    expect(Date.parse(entries[0].created_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(entries[0].created_at)).toBeLessThanOrEqual(Date.now());
  });

  test('records successful changes only, and no ordinary reads', async () => {
    const { pagination } = await log();
    await tenant.writeKey.post('/api/monitors', { ...monitor, interval_seconds: 1 });
    await tenant.readKey.post('/api/monitors', monitor);
    await tenant.writeKey.delete(`/api/monitors/${randomUUID()}`);
    await tenant.writeKey.get('/api/monitors');
    expect((await log()).pagination.total_count).toBe(pagination.total_count);
  });

  test('records who read a signing secret, exported data or ran a check manually, without the data returned', async () => {
    const { client, userId } = tenant.owner;
    const hook = { name: 'Hook', type: 'webhook', config: { url: 'https://hook.example/' } };
    const { id: hookId } = (await client.post('/api/integrations', hook)).data.integration;
    const { id: monitorId } = (await client.post('/api/monitors', { ...monitor, name: 'Checked' })).data.monitor;
    const pages = `/api/projects/${tenant.projectId}/status-pages`;
    const page = (await client.post(pages, { name: 'Page', subdomain: `page-${randomUUID()}` })).data.status_page;
    const { pagination } = await log();
    const { secret } = (await client.get(`/api/integrations/${hookId}/secret`)).data;
    const responses = [
      await client.get('/api/export?format=json'), await client.get(`${pages}/${page.id}/subscribers/export`),
      await client.post(`/api/monitors/${monitorId}/check`),
      await client.post('/api/monitors/test', { type: 'HTTP', target: 'https://test.example/' }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const after = await log();
    expect(after.pagination.total_count).toBe(pagination.total_count + 5);
    expect(after.entries.slice(0, 5)).toMatchObject([
      { action: 'monitor.tested', resource: { type: 'monitor', id: null }, fields: ['type', 'target'] },
      { action: 'monitor.checked', resource: { type: 'monitor', id: monitorId } },
      { action: 'subscribers.exported', resource: { type: 'subscribers', id: page.id } },
      { action: 'configuration.exported', resource: { type: 'configuration', id: null }, fields: ['format'] },
      { action: 'integration.secret_read', resource: { type: 'integration', id: hookId }, actor: { id: userId } },
    ]);
    expect(JSON.stringify(after)).not.toContain(secret);
  });

  test('belongs to one organization', async () => {
    const other = await newTenant(app);
    const made = await other.writeKey.post('/api/monitors', monitor);
    expect((await log(`?resource_id=${made.data.monitor.id}`)).entries).toEqual([]);
    expect(
      (await other.owner.client.get(`/api/audit-log?resource_id=${made.data.monitor.id}`)).data.entries,
    ).toHaveLength(1);
  });

  test('is paged and filtered', async () => {
    for (let at = 0; at < 4; at += 1) await tenant.owner.client.post('/api/projects', { name: `P${at}` });
    const first = await log('?action=project.created&limit=3');
    expect(first.entries).toHaveLength(3);
    expect(first.pagination).toEqual({ page: 1, limit: 3, total_count: 4, has_more: true });
    const second = await log('?action=project.created&limit=3&page=2');
    expect(second.entries).toHaveLength(1);
    expect(second.pagination.has_more).toBe(false);
    const ids = [...first.entries, ...second.entries].map((entry: { id: string }) => entry.id);
    expect(new Set(ids).size).toBe(4);
    expect(
      (await log(`?actor_id=${tenant.owner.userId}&action=project.created`)).pagination.total_count,
    ).toBe(4);
    for (const query of ['?limit=0', '?limit=101', '?page=0', '?nonsense=1', '?action=']) {
      expect((await tenant.owner.client.get(`/api/audit-log${query}`)).code, query).toBe('VALIDATION_ERROR');
    }
  });

  test('records changes to a user\'s own account in each of the user\'s organizations', async () => {
    const person = await newMember(app, tenant, 'viewer');
    await app.client.post('/api/auth/login', { email: person.email, password: person.password });
    const changed = await person.client.post(
      '/api/auth/change-password',
      { current_password: person.password, new_password: 'a quite new password' },
    );
    await app.client.with({ authorization: `Bearer ${changed.data.token}` }).post('/api/auth/logout');
    const { entries } = await log(`?actor_id=${person.userId}`);
    expect(entries.map((entry: { action: string }) => entry.action)).toEqual([
      'session.ended', 'password.changed', 'session.started',
    ]);
    expect(entries[1].fields).toEqual(['current_password', 'new_password']);
    expect(JSON.stringify(entries)).not.toContain('a quite new password');
  });

  test('shows the key\'s name, not its secret', async () => {
    const { data } = await tenant.owner.client.post('/api/auth/api-keys', { name: 'audited' });
    await tenant.owner.client.post(`/api/auth/api-keys/${data.id}/rotate`);
    await tenant.owner.client.delete(`/api/auth/api-keys/${data.id}`);
    const { entries } = await log(`?resource_id=${data.id}`);
    expect(entries.map((entry: { action: string }) => entry.action)).toEqual([
      'api_key.revoked', 'api_key.rotated', 'api_key.created',
    ]);
    expect(JSON.stringify(entries)).not.toContain(data.key.slice(3, 20));
  });
});

test.each(['en', 'de'])('the console has a label for each action (%s)', async (language) => {
  const actions = new Set(app.routes.flatMap(({ audit }) => (typeof audit === 'string' ? [audit] : [])));
  // Imported by path, because its types are for browsers.
  const file = join(root, 'controller/console/app/texts', language, 'audit-actions.ts');
  const { default: labels } = (await import(file)) as { default: Record<string, string> };
  expect(Object.keys(labels).toSorted()).toEqual([...actions].toSorted());
  expect(new Set(Object.values(labels)).size, 'labels differ').toBe(actions.size);
});
