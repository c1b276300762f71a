import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiResponse, ApiClient, Loose } from '../helpers/api-client.ts';
import { incidentBody, makeIncidentApp, type IncidentApp } from '../helpers/incident-app.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';

let rig: IncidentApp;
let tenant: Tenant;
let monitorId: string;

beforeAll(async () => {
  rig = await makeIncidentApp();
  tenant = await newTenant(rig.app);
  monitorId = await rig.monitor(tenant);
});
afterAll(() => rig.app.close());

const create = (
  change: Record<string, unknown> = {}, client: ApiClient = tenant.writeKey,
): Promise<ApiResponse> =>
  client.post('/api/incidents', incidentBody(change));

describe('creating an incident', () => {
  test('by title creates an open manual one with all defaults', async () => {
    const response = await create({}, tenant.owner.client);
    expect(response.status, response.text).toBe(201);
    const now = new Date(rig.clock.now()).toISOString();
    expect(response.data.incident).toEqual({
      id: expect.any(
        String,
      ) as string, organization_id: tenant.organizationId, project_id: tenant.projectId, created_by: tenant.owner.userId,
      check_id: null, monitor_name: null, check_type: null, status: 'open', severity: 'major',
      type: 'connection_error', source: 'manual',
      title: 'Checkout fails', description: null, status_page_update: null,
      error_message: 'Connection refused', affected_regions: [],
      affected_monitor_ids: [], failure_count: 1, started_at: now, acknowledged_at: null, assignee_id: null,
      acknowledged_by_name: null,
      resolved_at: null, resolved_by: null, runbook_url: null, late: false, in_maintenance: false, notification_sent: false,
      held_by: null, cause_id: null, diagnosis: null, notification_channels: [],
      created_at: now, updated_at: now,
    });
    const read = await tenant.readKey.get(`/api/incidents/${response.data.incident.id}`);
    expect(read.data.incident).toEqual({ ...response.data.incident, postmortem: null, changes: [] });
    const history =
      (await tenant.readKey.get(`/api/incidents/${response.data.incident.id}/updates`)).data.updates;
    expect(history).toMatchObject([
      { kind: 'created', to: 'open', actor: { type: 'user', id: tenant.owner.userId, name: 'Owner' } },
    ]);
  });

  test('by monitor creates a system one with the monitor\'s name', async () => {
    const { incident } = (await create({ title: undefined, check_id: monitorId.toUpperCase() })).data;
    expect(incident).toMatchObject({
      check_id: monitorId, monitor_name: 'Shop', check_type: 'HTTP', source: 'system', title: 'Shop is down',
      created_by: tenant.owner.userId,
    });
  });

  test('accepts every field at its limits', async () => {
    const body = {
      title: 't'.repeat(255), error_message: 'e'.repeat(
        1000,
      ), check_id: monitorId, source: 'manual', status_page_update: 's'.repeat(1000),
      affected_regions: ['eu', 'us'], affected_monitor_ids: [monitorId], failure_count: 7,
      started_at: '2026-05-31T10:00:00+02:00', description: 'd'.repeat(2000),
    };
    const { incident } = (await create(body)).data;
    expect(incident).toMatchObject({ ...body, started_at: '2026-05-31T08:00:00.000Z', status: 'open' });
  });

  test('sends no alert and publishes one live event', async () => {
    const before = rig.publishedEvents.length;
    const { incident } = (await create({ check_id: monitorId })).data;
    expect(rig.publishedEvents.slice(before)).toMatchObject([
      { kind: 'incident', project_id: tenant.projectId, data: { id: incident.id, status: 'open' } },
    ]);
    expect(await rig.app.db.collection('deliveries').countDocuments({})).toBe(0);
    expect(JSON.stringify(rig.publishedEvents)).not.toContain('search_text');
  });

  test('ignores read-only fields', async () => {
    const foreign = randomUUID();
    const { incident } = (await create({
      id: foreign, organization_id: foreign, created_by: foreign, status: 'closed', resolved_by: 'me',
      notification_sent: true,
    })).data;
    expect(incident).toMatchObject({
      organization_id: tenant.organizationId, created_by: tenant.owner.userId, status: 'open',
      resolved_by: null, notification_sent: false,
    });
    expect(incident.id).not.toBe(foreign);
  });
});

describe('title, monitor and source', () => {
  test.each([
    [{ title: undefined }, 'Either check_id or title must be provided', ['check_id', 'title']],
    [{ title: undefined, source: 'manual' }, 'Manual incidents must have a title', ['title']],
  ])('%j is rejected with an object of errors', async (change, message, fields) => {
    const response = await create(change);
    expect([response.status, response.code, response.error.message]).toEqual([400, 'VALIDATION_ERROR', message]);
    expect(response.error.details).toEqual({
      errors: Object.fromEntries(fields.map((field) => [field, message])),
    });
  });

  test('a manual incident about a monitor needs a title too', async () => {
    expect((await create({ title: undefined, source: 'manual', check_id: monitorId })).error.message).toBe(
      'Manual incidents must have a title',
    );
    expect((await create({ source: 'manual', check_id: monitorId })).data.incident.source).toBe('manual');
  });

  test.each([
    {}, { title: undefined },
  ])('a system incident without a monitor returns the error of the specification (%j)', async (change) => {
    const response = await create({ source: 'system', ...change });
    expect([response.status, response.error]).toEqual([
      500, { code: 'INTERNAL_ERROR', message: 'System incidents must have a check_id' },
    ]);
  });
});

describe('a body that breaks a rule', () => {
  test.each([
    [
      'severity', { severity: 'fatal' },
    ], ['severity', { severity: undefined }], ['type', { type: 'boom' }], ['type', { type: undefined }],
    ['error_message', { error_message: '' }], [
      'error_message', { error_message: 'e'.repeat(1001) },
    ], ['error_message', { error_message: undefined }],
    [
      'title', { title: '' },
    ], ['title', { title: 't'.repeat(256) }], ['title', { title: 'a\nb' }], ['check_id', { check_id: 'x' }],
    ['source', { source: 'robot' }], [
      'status_page_update', { status_page_update: 's'.repeat(1001) },
    ], ['affected_regions', { affected_regions: 'eu' }],
    ['affected_monitor_ids', { affected_monitor_ids: Array.from({ length: 101 }, () => randomUUID()) }],
    [
      'affected_monitor_ids', { affected_monitor_ids: ['x'] },
    ], ['failure_count', { failure_count: 0 }], ['failure_count', { failure_count: 1.5 }],
    ['started_at', { started_at: 'yesterday' }], ['started_at', { started_at: 1 }],
    ['made_up', { made_up: 1 }], ['description', { description: 'd'.repeat(2001) }],
  ])('%s: %j is rejected with an array', async (field, change) => {
    const response = await create(change);
    expect([response.status, response.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(response.error.details[0].path[0]).toBe(field);
  });

  test('may reference only monitors of the project', async () => {
    const foreign = await rig.monitor(await newTenant(rig.app));
    for (const id of [foreign, randomUUID()]) {
      const asCheck = await create({ check_id: id });
      expect([asCheck.code, asCheck.error.details[0].path]).toEqual(['VALIDATION_ERROR', ['check_id']]);
      const asAffected = await create({ affected_monitor_ids: [monitorId, id] });
      expect([asAffected.code, asAffected.error.details[0].path]).toEqual([
        'VALIDATION_ERROR', ['affected_monitor_ids', 1],
      ]);
    }
    const deleted = await rig.monitor(tenant, 'Gone');
    await tenant.writeKey.delete(`/api/monitors/${deleted}`);
    expect((await create({ check_id: deleted })).code).toBe('VALIDATION_ERROR');
  });
});

test('editors manage incidents; viewers and read keys do not', async () => {
  const viewer = await newMember(rig.app, tenant, 'viewer');
  expect((await create({}, viewer.client)).code).toBe('INSUFFICIENT_PERMISSIONS');
  expect((await create({}, tenant.readKey)).code).toBe('READ_ONLY_API_KEY');
  expect((await create({}, (await newMember(rig.app, tenant, 'member')).client)).status).toBe(201);
  const { id } = (await create()).data.incident as Loose;
  for (const [method, path, body] of [
    ['PUT', '', { severity: 'minor' }], ['PUT', '/status', { status: 'resolved' }],
    ['POST', '/acknowledge', undefined], ['PUT', '/postmortem', { text: 'x' }],
  ] as const) {
    expect((await viewer.client.send(method, `/api/incidents/${id}${path}`, { body })).code).toBe(
      'INSUFFICIENT_PERMISSIONS',
    );
    expect((await tenant.readKey.send(method, `/api/incidents/${id}${path}`, { body })).code).toBe(
      'READ_ONLY_API_KEY',
    );
  }
});
