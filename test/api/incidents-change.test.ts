import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { IncidentDoc, IncidentUpdateDoc } from '../../controller/incidents/incident.ts';
import { newId } from '../../shared/ids.ts';
import type { ApiResponse, ApiClient, Loose } from '../helpers/api-client.ts';
import { monitorConfig } from '../helpers/delivery-rig.ts';
import { incidentBody, makeIncidentApp, type IncidentApp } from '../helpers/incident-app.ts';
import { newMember, newPerson, newTenant, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

let rig: IncidentApp;
let tenant: Tenant;
let other: Tenant;

beforeAll(async () => {
  rig = await makeIncidentApp();
  [tenant, other] = [await newTenant(rig.app), await newTenant(rig.app)];
});
afterAll(() => rig.app.close());

async function openIncident(change: Record<string, unknown> = {}): Promise<string> {
  return (await tenant.writeKey.post('/api/incidents', incidentBody(change))).data.incident.id;
}

const move = (
  id: string, status: string, more: Record<string, unknown> = {}, client: ApiClient = tenant.writeKey,
): Promise<ApiResponse> =>
  client.put(`/api/incidents/${id}/status`, { status, ...more });

/** An incident that passed through these statuses. */
async function through(...statuses: string[]): Promise<string> {
  const id = await openIncident();
  for (const status of statuses) expect((await move(id, status)).status).toBe(200);
  return id;
}

const history = async (id: string): Promise<Loose[]> =>
  (await tenant.readKey.get(`/api/incidents/${id}/updates`)).data.updates;

const PATHS: Record<string, string[]> = {
  open: [], acknowledged: ['acknowledged'], resolved: ['resolved'], closed: ['resolved', 'closed'],
};
const ALLOWED: Record<string, string[]> = {
  open: ['acknowledged', 'resolved'], acknowledged: ['resolved', 'closed'], resolved: ['closed'], closed: [],
};

describe('the status', () => {
  for (const from of Object.keys(PATHS)) {
    for (const to of Object.keys(PATHS)) {
      const isAllowed = ALLOWED[from]?.includes(to) ?? false;
      test(`goes from ${from} to ${to}: ${isAllowed ? 'yes' : 'no'}`, async () => {
        const id = await through(...(PATHS[from] ?? []));
        const before = (await tenant.readKey.get(`/api/incidents/${id}`)).data.incident;
        const lines = (await history(id)).length;
        const response = await move(id, to);
        if (isAllowed) {
          expect(response.status, response.text).toBe(200);
          expect(response.data).toMatchObject({ success: true, incident: { id, status: to } });
          expect('recovery_time_seconds' in response.data).toBe(to === 'resolved');
          expect((await history(id)).at(-1)).toMatchObject({
            kind: 'status_change', field: 'status', from, to, actor: { type: 'api_key', name: 'writer' },
          });
          return;
        }
        expect([response.status, response.code]).toEqual([400, 'VALIDATION_ERROR']);
        const { message } = response.error;
        if (from === to) expect(message).toBe(`Incident is already in status: ${to}`);
        else if (from === 'closed') expect(message).toContain('final state');
        else {
          expect(message).toBe(
            `Cannot change the status from ${from} to ${to}. Valid targets: ${ALLOWED[from]?.join(', ')}`,
          );
        }
        expect((await tenant.readKey.get(`/api/incidents/${id}`)).data.incident).toEqual(before);
        expect(await history(id)).toHaveLength(lines);
      });
    }
  }

  test('shows when resolved how long the outage lasted and who resolved it', async () => {
    const startedAt = new Date(rig.clock.now() - 95_400).toISOString();
    const id = await openIncident({ started_at: startedAt });
    const { data } = await move(id, 'resolved', {}, tenant.owner.client);
    expect(data.recovery_time_seconds).toBe(95);
    expect(data.incident).toMatchObject({
      recovery_time_seconds: 95, resolved_by: tenant.owner.userId,
      resolved_at: new Date(rig.clock.now()).toISOString(),
    });
    const closed = (await move(id, 'closed')).data;
    expect(closed).not.toHaveProperty('recovery_time_seconds');
    expect(closed.incident.recovery_time_seconds).toBe(95);
  });

  test('has zero duration when resolved before it began', async () => {
    const id = await openIncident({ started_at: '2099-01-01T00:00:00Z' });
    expect((await move(id, 'resolved')).data.recovery_time_seconds).toBe(0);
  });

  test.each([
    {}, { status: 'gone' }, { status: 'resolved', note: 'n'.repeat(501) },
    { status: 'resolved', assignee_id: 'x' }, { status: 'resolved', extra: 1 },
  ])('refuses %j', async (body) => {
    const response = await tenant.writeKey.put(`/api/incidents/${await openIncident()}/status`, body);
    expect(response.code).toBe('VALIDATION_ERROR');
    expect(response.error.details).toBeInstanceOf(Array);
  });
});

describe('acknowledging', () => {
  test('records time, person and note', async () => {
    const id = await openIncident();
    const { data } = await tenant.owner.client.post(`/api/incidents/${id}/acknowledge`);
    expect(data).toEqual({ success: true, incident: expect.objectContaining({
      status: 'acknowledged', acknowledged_at: new Date(rig.clock.now()).toISOString(),
      assignee_id: tenant.owner.userId, acknowledged_by_name: 'Owner',
    }) as object });
    expect((await history(id)).at(-1)).toMatchObject({
      from: 'open', to: 'acknowledged', note: 'Incident acknowledged',
      actor: { type: 'user', id: tenant.owner.userId },
    });
    const again = await tenant.owner.client.post(`/api/incidents/${id}/acknowledge`);
    expect([again.status, again.error.message]).toEqual([400, 'Incident is already in status: acknowledged']);
  });

  test('by a key records the key\'s name and leaves the incident unassigned', async () => {
    const { incident } = (await tenant.writeKey.post(`/api/incidents/${await openIncident()}/acknowledge`)).data;
    expect(incident).toMatchObject({ assignee_id: null, acknowledged_by_name: 'writer' });
  });

  test('can assign a member, with a separate note', async () => {
    const member = await newMember(rig.app, tenant, 'member');
    const id = await openIncident();
    const { data } =
      await move(id, 'acknowledged', { assignee_id: member.userId.toUpperCase(), note: 'n'.repeat(500) });
    expect(data.incident).toMatchObject({ assignee_id: member.userId, acknowledged_by_name: 'member' });
    expect((await history(id)).at(-1).note).toHaveLength(500);
  });

  test('cannot assign an unknown user, no user, or a member without access to the project', async () => {
    const id = await openIncident();
    const { person: outsider } = await newPerson(rig.app);
    for (const assignee of [other.owner.userId, outsider.userId, randomUUID()]) {
      const response = await move(id, 'acknowledged', { assignee_id: assignee });
      expect([response.code, response.error.details[0].path]).toEqual(['VALIDATION_ERROR', ['assignee_id']]);
    }
    expect((await move(randomUUID(), 'acknowledged', { assignee_id: outsider.userId })).error).toMatchObject({
      code: 'RESOURCE_NOT_FOUND', message: 'Incident not found',
    });
    const second =
      (await tenant.owner.client.post('/api/projects', { name: `Second ${randomUUID()}` })).data.project.id;
    const there = tenant.writeKey.with({ 'x-project-id': second });
    const elsewhere = (await there.post('/api/incidents', incidentBody())).data.incident.id;
    const plain = await newMember(rig.app, tenant, 'member');
    expect((await move(elsewhere, 'acknowledged', { assignee_id: plain.userId }, there)).code).toBe(
      'VALIDATION_ERROR',
    );
    expect((await tenant.readKey.get(`/api/incidents/${id}`)).data.incident.status).toBe('open');
  });

  test('fifty times concurrently succeeds once', async () => {
    const id = await openIncident();
    const before = rig.publishedEvents.length;
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => tenant.writeKey.post(`/api/incidents/${id}/acknowledge`)),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status, code }) => status === 400 && code === 'VALIDATION_ERROR')).toHaveLength(
      49,
    );
    expect(await history(id)).toHaveLength(2);
    expect(rig.publishedEvents.slice(before)).toHaveLength(1);
  });
});

describe('descriptive fields', () => {
  test('change, with a history entry for each new value', async () => {
    const id = await openIncident({ affected_regions: ['eu'] });
    const path = `/api/incidents/${id}`;
    const wanted = {
      severity: 'minor', error_message: 'Other', affected_regions: ['us', 'eu'], description: 'What we know',
    };
    expect((await tenant.owner.client.put(path, wanted)).data.incident).toMatchObject(wanted);
    expect(
      (await tenant.owner.client.put(path, { ...wanted, description: null })).data.incident.description,
    ).toBeNull();
    expect(
      (await history(id)).slice(1).map(({ kind, field, from, to }: Loose) => [kind, field, from, to]),
    ).toEqual([
      [
        'field_change', 'severity', 'major', 'minor',
      ], ['field_change', 'error_message', 'Connection refused', 'Other'],
      ['field_change', 'affected_regions', ['eu'], ['us', 'eu']],
      ['field_change', 'description', null, 'What we know'],
      ['field_change', 'description', 'What we know', null],
    ]);
    expect(
      (await tenant.readKey.get('/api/incidents?search=OTHER')).data.incidents.map((one: Loose) => one.id),
    ).toEqual([id]);
  });

  test('set to their current values leave no history', async () => {
    const id = await openIncident();
    const before = (await tenant.readKey.get(`/api/incidents/${id}`)).data.incident;
    await rig.clock.advance(60_000);
    expect((await tenant.writeKey.put(`/api/incidents/${id}`, before)).data.incident.updated_at).toBe(
      before.updated_at,
    );
    expect(await history(id)).toHaveLength(1);
  });

  test('can be sent back as read without changing anything else', async () => {
    const id = await openIncident();
    const read = (await tenant.readKey.get(`/api/incidents/${id}`)).data.incident;
    const response = await tenant.writeKey.put(`/api/incidents/${id}`, {
      ...read, status: 'closed', title: 'Mine', organization_id: other.organizationId, severity: 'warning',
    });
    expect(response.data.incident).toMatchObject({
      status: 'open', title: read.title, organization_id: tenant.organizationId, severity: 'warning',
    });
    expect(
      (await tenant.writeKey.patch(`/api/incidents/${id}`, { severity: 'minor' })).data.incident,
    ).toMatchObject({ ...response.data.incident, severity: 'minor', updated_at: expect.any(String) as string });
  });

  test.each([
    {}, { title: 'x' }, { status: 'closed' },
  ])('without any of the four (%j) return the error of the specification', async (body) => {
    const response = await tenant.writeKey.put(`/api/incidents/${await openIncident()}`, body);
    expect([response.status, response.error]).toEqual([
      500, { code: 'INTERNAL_ERROR', message: 'At least one field must be provided for update' },
    ]);
  });

  test.each([
    { severity: 'x' }, { error_message: '' }, { error_message: 'e'.repeat(1001) }, { affected_regions: 'eu' },
    { description: 'd'.repeat(2001) }, { made_up: 1 },
    { severity: null },
  ])('refuse %j', async (body) => {
    expect((await tenant.writeKey.put(`/api/incidents/${await openIncident()}`, body)).code).toBe('VALIDATION_ERROR');
  });

  test('of a closed incident cannot change', async () => {
    const id = await through('resolved', 'closed');
    const response = await tenant.writeKey.put(`/api/incidents/${id}`, { severity: 'minor' });
    expect([response.code, response.error.message]).toEqual([
      'VALIDATION_ERROR', expect.stringContaining('final state'),
    ]);
  });

  test('changed concurrently are all in the history and the events', async () => {
    const id = await openIncident();
    const responses = await Promise.all(Array.from(
      { length: 8 },
      (_, at) => tenant.writeKey.put(`/api/incidents/${id}`, { error_message: `message ${at}` }),
    ));
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    const lines = (await history(id)).slice(1);
    expect(lines).toHaveLength(8);
    lines.slice(1).forEach((line: Loose, at: number) => expect(line.from).toBe(lines[at].to));
  });
});

describe('a crash between the incident and its history', () => {
  test('loses no entry: entries are read from the incident and copied with the next change', async () => {
    const id = await openIncident();
    await rig.app.db.collection<IncidentUpdateDoc>('incident_updates').deleteMany({ incident_id: id });
    const line = {
      _id: newId(1), organization_id: tenant.organizationId, project_id: tenant.projectId, incident_id: id,
      kind: 'created', to: 'open', created_at: 1,
    };
    const actor = { type: 'user', id: null, name: 'A' } as const;
    await rig.app.db.collection<IncidentDoc>('incidents').updateOne(
      { _id: id }, { $set: { pending_updates: [{ ...line, kind: 'created', actor }] } },
    );
    expect(await history(id)).toMatchObject([{ id: line._id }]);
    await move(id, 'acknowledged');
    expect((await history(id)).map(({ to }: Loose) => to)).toEqual(['open', 'acknowledged']);
    expect(
      await rig.app.db.collection<IncidentUpdateDoc>('incident_updates').countDocuments({ incident_id: id }),
    ).toBe(2);
    expect((await rig.app.controller.stores.incidents.findById(id))?.pending_updates).toEqual([]);
  });
});

describe('an incident of the state machine', () => {
  const opening = () => ({
    id: newId(rig.clock.now()), monitor: monitorConfig({
      organization_id: tenant.organizationId, project_id: tenant.projectId,
    }), severity: 'critical' as const,
    type: 'timeout' as const, error_message: 'No answer', affected_regions: ['eu'], failure_count: 2,
    started_at: rig.clock.now(),
  });

  test('is resolved by recovery after it was acknowledged, with its history in order', async () => {
    const one = opening();
    await rig.incidents.outbox.open(one);
    await tenant.writeKey.post(`/api/incidents/${one.id}/acknowledge`);
    await rig.incidents.outbox.resolve({
      id: one.id, monitor: one.monitor, resolved_at: rig.clock.now() + 1000, failure_count: 3,
    });
    expect((await history(one.id)).map(({ from, to }: Loose) => [from, to])).toEqual([
      [undefined, 'open'], ['open', 'acknowledged'], ['acknowledged', 'resolved'],
    ]);
    expect((await tenant.readKey.get(`/api/incidents/${one.id}`)).data.incident).toMatchObject({
      status: 'resolved', resolved_by: 'system', recovery_time_seconds: 1,
    });
  });

  test.each(['resolved', 'closed'])('that a person set to %s keeps that status at recovery', async (status) => {
    const one = opening();
    await rig.incidents.outbox.open(one);
    if (status === 'closed') await move(one.id, 'acknowledged');
    const before = (await move(one.id, status)).data.incident;
    await rig.incidents.outbox.resolve({
      id: one.id, monitor: one.monitor, resolved_at: rig.clock.now() + 1000, failure_count: 3,
    });
    expect((await tenant.readKey.get(`/api/incidents/${one.id}`)).data.incident).toEqual({
      ...before, postmortem: null, changes: [],
    });
  });

  test('counts the failures of its outage, and keeps the count when a user resolves it', async () => {
    const one = opening();
    const { monitor_id } = one.monitor;
    await rig.incidents.outbox.open(one);
    const outage = (failure_count: number) => rig.live.set(monitor_id, {
      status: 'down', since: 1, last_check_at: null, last_success_at: null, last_failure_at: null,
      in_maintenance: false, regions: [],
      open_incident: {
        id: one.id, started_at: one.started_at, severity: 'critical', type: 'timeout', failure_count,
      },
    });
    const read = async () =>
      (await tenant.readKey.get(`/api/incidents/${one.id}`)).data.incident.failure_count;
    outage(1);
    expect(await read()).toBe(2);
    outage(7);
    expect(await read()).toBe(7);
    rig.app.owners.unavailable.add('open');
    let status = 0;
    void tenant.readKey.get(`/api/incidents/${one.id}`).then((response) => (status = response.status));
    await until(() => rig.clock.advance(250).then(() => status));
    expect(status, 'while the owner of its monitor is away').toBe(503);
    rig.app.owners.unavailable.clear();
    expect((await tenant.readKey.get(`/api/incidents?check_id=${monitor_id}`)).data.incidents).toMatchObject([
      { id: one.id, failure_count: 7 },
    ]);
    expect((await tenant.writeKey.put(
      `/api/incidents/${one.id}`, { severity: 'critical' },
    )).data.incident.failure_count)
      .toBe(7);
    expect(
      (await tenant.writeKey.post(`/api/incidents/${one.id}/acknowledge`)).data.incident.failure_count,
    ).toBe(7);
    outage(9);
    expect((await move(one.id, 'resolved')).data.incident.failure_count).toBe(9);
    outage(10);
    expect(await read()).toBe(9);
    rig.live.clear();
  });

  test('published again after a crash keeps its id', async () => {
    const one = opening();
    const before = rig.publishedEvents.length;
    await rig.incidents.outbox.open(one);
    await rig.incidents.outbox.open(one);
    const ids = rig.publishedEvents.slice(before).map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });
});

test('a postmortem can be written, changed and removed, even when the incident is closed', async () => {
  const id = await through('resolved', 'closed');
  const path = `/api/incidents/${id}/postmortem`;
  const { incident } = (await tenant.owner.client.put(path, { text: 'A cable.\n\nWe replaced it.' })).data;
  expect(incident.postmortem).toEqual({
    text: 'A cable.\n\nWe replaced it.', author: { type: 'user', id: tenant.owner.userId, name: 'Owner' },
    updated_at: expect.any(String) as string,
  });
  expect((await tenant.readKey.get(`/api/incidents/${id}`)).data.incident.postmortem).toEqual(
    incident.postmortem,
  );
  expect((await tenant.owner.client.put(path, { text: '' })).data.incident.postmortem).toBeNull();
  for (const body of [{}, { text: 1 }, { text: 'x'.repeat(50_001) }]) {
    expect((await tenant.owner.client.put(path, body)).code).toBe('VALIDATION_ERROR');
  }
});

test('another tenant\'s incident is not found and stays unchanged', async () => {
  const id = await openIncident();
  const requests = [
    ['PUT', '', { severity: 'minor' }], ['PUT', '/status', { status: 'resolved' }],
    ['POST', '/acknowledge', undefined], ['PUT', '/postmortem', { text: 'x' }],
  ] as const;
  for (const [method, path, body] of requests) {
    for (const client of [other.writeKey, other.owner.client]) {
      const foreign = await client.send(method, `/api/incidents/${id}${path}`, { body });
      const unknown = await client.send(method, `/api/incidents/${randomUUID()}${path}`, { body });
      expect([foreign.status, foreign.error]).toEqual([404, unknown.error]);
    }
    expect((await tenant.writeKey.send(method, `/api/incidents/nonsense${path}`, { body })).code).toBe(
      'VALIDATION_ERROR',
    );
  }
  expect((await tenant.readKey.get(`/api/incidents/${id}`)).data.incident).toMatchObject({
    status: 'open', severity: 'major', postmortem: null,
  });
});
