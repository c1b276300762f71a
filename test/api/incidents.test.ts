import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DeliveryStore } from '../../controller/delivery/store.ts';
import type { DeliveryDoc } from '../../controller/delivery/delivery.ts';
import type { IncidentDoc } from '../../controller/incidents/incident.ts';
import { IncidentOutbox } from '../../controller/incidents/outbox.ts';
import type { IncidentStore } from '../../controller/incidents/store.ts';
import { IncidentUpdateStore, VoteStore } from '../../controller/incidents/history-store.ts';
import type { IncidentOpening, VoteRecord } from '../../controller/verdicts/effect.ts';
import { newId } from '../../shared/ids.ts';
import { systemClock } from '../../shared/time.ts';
import type { Loose } from '../helpers/api-client.ts';
import { monitorConfig } from '../helpers/delivery-rig.ts';
import { makeIncidentApp } from '../helpers/incident-app.ts';
import type { TestApp } from '../helpers/make-app.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';

let app: TestApp;
let tenant: Tenant;
let incidents: IncidentStore;
let deliveries: DeliveryStore;
let outbox: IncidentOutbox;

beforeAll(async () => {
  const rig = await makeIncidentApp();
  app = rig.app;
  incidents = rig.app.controller.stores.incidents;
  deliveries = new DeliveryStore(app.db);
  await deliveries.ensureIndexes();
  const stores = { updates: new IncidentUpdateStore(app.db), votes: new VoteStore(app.db) };
  outbox = new IncidentOutbox({ incidents, ...stores }, systemClock);
  tenant = await newTenant(app);
});
afterAll(() => app.close());

const T0 = Date.UTC(2026, 5, 1, 12);

function opening(of: Tenant, change: Partial<IncidentOpening> = {}): IncidentOpening {
  return {
    id: newId(T0), monitor: monitorConfig({ organization_id: of.organizationId, project_id: of.projectId }),
    severity: 'major', type: 'status_code',
    error_message: 'Status 503', affected_regions: ['eu'], failure_count: 2, started_at: T0, ...change,
  };
}

/** The votes of three regions, one of which never reported. */
function votesFor(one: IncidentOpening, verdict: 'down' | 'up', at: number): VoteRecord {
  const { monitor_id, organization_id, project_id } = one.monitor;
  const error = { type: 'timeout' as const, message: 'No answer' };
  const cast = { probe_id: 'p', at: at - 1000, engine: '1.2.0', weight: 'counted' as const };
  return {
    id: newId(at), monitor_id, organization_id, project_id, incident_id: one.id, at, verdict,
    policy: { regions: 'majority', retries: 1 },
    votes: [
      { ...cast, region: 'paris', vote: verdict, attempt: 2, ...(verdict === 'down' ? { error } : {}) },
      { region: 'osaka', vote: 'none', weight: 'silent', reason: 'silent' },
    ],
  };
}

const ids = (response: { data: Loose }): string[] => response.data.incidents.map((one: Loose) => one.id);

describe('an incident', () => {
  test('records in its history, once, each region that sees it begin or end', async () => {
    const one = opening(tenant);
    await outbox.open(one);
    const { monitor_id, organization_id, project_id } = one.monitor;
    const change = {
      id: newId(T0), monitor_id, organization_id, project_id, region: 'osaka', status: 'down' as const,
      previous_status: 'up' as const, at: Date.now() + 1000, reason: null, incident_id: one.id,
    };
    for (const incident_id of [one.id, one.id, null, newId(5)]) {
      await outbox.regionChanged({ ...change, incident_id });
    }
    const history = (await tenant.readKey.get(`/api/incidents/${one.id}/updates`)).data.updates;
    expect(history).toHaveLength(2);
    expect(history[1]).toMatchObject({
      kind: 'region_change', field: 'osaka', from: 'up', to: 'down', actor: { type: 'system' },
    });
  });

  test('has the votes of its beginning and its end, each once, and none if a user opened it', async () => {
    const one = opening(tenant);
    await outbox.open(one);
    const [down, up] = [votesFor(one, 'down', T0), votesFor(one, 'up', T0 + 60_000)];
    for (const record of [down, up, down]) await outbox.recordVotes(record);
    const { data } = await tenant.readKey.get(`/api/incidents/${one.id}/votes`);
    expect(data).toMatchObject({ policy: { regions: 'majority', retries: 1 }, verdict: 'up' });
    expect(data['votes']).toHaveLength(4);
    expect(data['votes'].slice(0, 2)).toEqual([
      {
        at: '2026-06-01T11:59:59.000Z', verdict: 'down', region: 'paris', probe_id: 'p', vote: 'down',
        weight: 'counted', reason: null, error: { type: 'timeout', message: 'No answer' }, attempt: 2,
        engine: '1.2.0',
      },
      {
        at: null, verdict: 'down', region: 'osaka', probe_id: null, vote: 'none', weight: 'silent',
        reason: 'silent', error: null, attempt: null, engine: null,
      },
    ]);
    const other = opening(tenant);
    await outbox.open(other);
    expect((await tenant.readKey.get(`/api/incidents/${other.id}/votes`)).data)
      .toEqual({ votes: [], policy: null, verdict: null });
  });

  test('is opened once and resolved once, with its history', async () => {
    const one = opening(tenant);
    await Promise.all([outbox.open(one), outbox.open(one), outbox.open(one)]);
    const openIncident = (await tenant.readKey.get(`/api/incidents/${one.id}`)).data.incident;
    expect(openIncident).toMatchObject({
      id: one.id, status: 'open', severity: 'major', type: 'status_code', check_id: one.monitor.monitor_id,
      started_at: '2026-06-01T12:00:00.000Z',
    });
    expect(openIncident).not.toHaveProperty('recovery_time_seconds');
    const end = { id: one.id, monitor: one.monitor, resolved_at: T0 + 90_000, failure_count: 7 };
    await outbox.resolve(end);
    await outbox.resolve({ ...end, resolved_at: T0 + 999_000 });
    await outbox.open(one);
    const resolved = (await tenant.owner.client.get(`/api/incidents/${one.id}`)).data.incident;
    expect(resolved).toMatchObject({
      status: 'resolved', resolved_at: '2026-06-01T12:01:30.000Z', recovery_time_seconds: 90,
      failure_count: 7, resolved_by: 'system',
    });
    const history = (await tenant.readKey.get(`/api/incidents/${one.id}/updates`)).data.updates;
    expect(history.map((line: Loose) => [line.kind, line.from, line.to, line.actor.type])).toEqual([
      ['created', undefined, 'open', 'system'], ['status_change', 'open', 'resolved', 'system'],
    ]);
  });

  test('found by late results is marked late, also in the list', async () => {
    const one = opening(tenant, { late: true });
    await outbox.open(one);
    await outbox.resolve({ id: one.id, monitor: one.monitor, resolved_at: T0 + 60_000, failure_count: 3 });
    const seen = {
      late: true, status: 'resolved', title: `${one.monitor.name} was down`, notification_sent: false,
    };
    expect((await tenant.readKey.get(`/api/incidents/${one.id}`)).data.incident).toMatchObject(seen);
    const { incidents: listed } = (await tenant.readKey.get('/api/incidents?limit=100')).data;
    expect(listed.find((each: Loose) => each.id === one.id)).toMatchObject(seen);
    expect(
      listed.filter((each: Loose) => each.id !== one.id).every((each: Loose) => each.late === false),
    ).toBe(true);
  });

  test('gets its history when it is repeated after a crash', async () => {
    const one = opening(tenant);
    const dying = new IncidentOutbox(
      {
        incidents, updates: { insertIfAbsent: () => Promise.reject(new Error('crash')) },
        votes: new VoteStore(app.db),
      }, systemClock,
    );
    const end = { id: one.id, monitor: one.monitor, resolved_at: T0 + 1000, failure_count: 2 };
    await expect(dying.open(one)).rejects.toThrow('crash');
    await outbox.open(one);
    await expect(dying.resolve(end)).rejects.toThrow('crash');
    await outbox.resolve(end);
    expect((await tenant.readKey.get(`/api/incidents/${one.id}/updates`)).data.updates).toHaveLength(2);
  });

  test('stays unchanged if it is closed or does not exist', async () => {
    const one = opening(tenant);
    await outbox.open(one);
    await app.db.collection<IncidentDoc>('incidents').updateOne(
      { _id: one.id }, { $set: { status: 'closed' } },
    );
    await outbox.resolve({ id: one.id, monitor: one.monitor, resolved_at: T0 + 1000, failure_count: 2 });
    expect((await incidents.findById(one.id))?.status).toBe('closed');
    expect((await tenant.readKey.get(`/api/incidents/${one.id}/updates`)).data.updates).toHaveLength(1);
    await outbox.resolve({ id: newId(1), monitor: one.monitor, resolved_at: T0 + 1000, failure_count: 2 });
  });

  test('is resolved after it was acknowledged, without a negative duration if the clock went back', async () => {
    const one = opening(tenant);
    await outbox.open(one);
    await app.db.collection<IncidentDoc>('incidents').updateOne(
      { _id: one.id }, { $set: { status: 'acknowledged', acknowledged_at: T0 } },
    );
    await outbox.resolve({ id: one.id, monitor: one.monitor, resolved_at: T0 - 5000, failure_count: 2 });
    expect(await incidents.findById(one.id)).toMatchObject({ status: 'resolved', recovery_time_seconds: 0 });
  });
});

describe('the list', () => {
  let own: Tenant;
  const made: IncidentOpening[] = [];
  beforeAll(async () => {
    own = await newTenant(app);
    for (let at = 0; at < 25; at += 1) {
      const monitor = monitorConfig({
        organization_id: own.organizationId, project_id: own.projectId,
        name: at === 7 ? 'Zahlung (EU) 100%' : `m${at}`,
      });
      const one = opening(own, {
        id: newId(T0 + at), monitor: at % 5 === 0 && made[0] ? made[0].monitor : monitor,
        started_at: T0 + at * 60_000, severity: at % 2 === 0 ? 'critical' : 'minor',
      });
      made.push(one);
      await outbox.open(one);
      if (at < 10) {
        await outbox.resolve({
          id: one.id, monitor: one.monitor, resolved_at: T0 + 3_600_000, failure_count: 2,
        });
      }
    }
  });

  test('is paged, latest start first', async () => {
    const first = await own.readKey.get('/api/incidents');
    expect(ids(first)).toEqual(made.slice(5).reverse().map((one) => one.id));
    expect(first.data.pagination).toEqual({ page: 1, limit: 20, total_count: 25, has_more: true });
    const second = await own.readKey.get('/api/incidents?page=2');
    expect(ids(second)).toEqual(made.slice(0, 5).reverse().map((one) => one.id));
    expect(second.data.pagination).toEqual({ page: 2, limit: 20, total_count: 25, has_more: false });
    expect(ids(await own.readKey.get('/api/incidents?page=10000&limit=100'))).toEqual([]);
  });

  test.each([
    ['status=open', (_one: IncidentOpening, at: number) => at >= 10],
    ['status=resolved', (_one: IncidentOpening, at: number) => at < 10],
    ['status=closed', () => false],
    ['severity=minor', (_one: IncidentOpening, at: number) => at % 2 === 1],
    ['source=system', () => true],
    ['source=manual', () => false],
    ['status=resolved&severity=critical', (_one: IncidentOpening, at: number) => at < 10 && at % 2 === 0],
    [
      'from=2026-06-01T12:05:00Z&to=2026-06-01T12:07:00.000Z',
      (_one: IncidentOpening, at: number) => at === 5 || at === 6,
    ],
    ['from=2026-06-01T14:20:00%2B02:00', (_one: IncidentOpening, at: number) => at >= 20],
    ['search=zahlung%20(eu)', (_one: IncidentOpening, at: number) => at === 7],
    ['search=100%25', (_one: IncidentOpening, at: number) => at === 7],
    ['search=.*', () => false],
    ['search=STATUS%20503', () => true],
    ['search=', () => true],
    ['search=down%0Am', () => false],
  ])('filters by %s', async (query, matches) => {
    const response = await own.readKey.get(`/api/incidents?limit=100&${query}`);
    expect(ids(response)).toEqual(made.filter(matches).map((one) => one.id).reverse());
    expect(response.data.pagination.total_count).toBe(ids(response).length);
  });

  test('filters by monitor', async () => {
    const monitorId = (made[0] as IncidentOpening).monitor.monitor_id;
    expect(ids(await own.readKey.get(`/api/incidents?check_id=${monitorId.toUpperCase()}`))).toHaveLength(5);
    expect(ids(await own.readKey.get(`/api/incidents?check_id=${newId(9)}`))).toEqual([]);
  });

  test.each([
    'status=sideways', 'severity=1', 'source=x', 'check_id=7', 'from=yesterday', 'from=1780315200000',
    'to=2026-06-01', `search=${'a'.repeat(256)}`, 'page=0', 'page=-1', 'page=1e9', 'page=10001',
    'page=99999999999999999999', 'limit=0', 'limit=101', 'limit=NaN', 'limit=-1', 'status[]=open',
    'status[$ne]=open', 'status=open&status=closed', 'sort=x', 'search=%00',
  ])('refuses %s', async (query) => {
    expect((await own.readKey.get(`/api/incidents?${query}`)).code).toBe('VALIDATION_ERROR');
  });
});

describe('the notification log', () => {
  let one: IncidentOpening;
  beforeAll(async () => {
    one = opening(tenant);
    await outbox.open(one);
    const docs = Array.from({ length: 25 }, (_, at): DeliveryDoc => ({
      _id: newId(
        at,
      ), organization_id: tenant.organizationId, project_id: tenant.projectId, destination_id: newId(
        1,
      ), monitor_id: one.monitor.monitor_id, incident_id: one.id,
      alert: {
        id: newId(1), event: 'monitor.down', monitor: { id: 'm', name: 'n', target: 't', type: 'HTTP' },
        incident: null, error: null, regions: [], last_success: null, at: T0,
      },
      channel: at % 5 === 0
        ? 'email'
        : 'webhook', recipient: `r${at}`, status: at < 5
          ? 'failed'
          : 'delivered', attempts: 1, retry_count: 0, max_retries: 5, next_attempt_at: null, claim: null,
      queued_at: at, delivered_at: at < 5 ? null : T0, last_retry_at: null,
      error_message: at < 5 ? 'no' : null, created_at: T0 + at, updated_at: T0 + at,
    }));
    await deliveries.insertAbsent(docs);
  });
  const read = (query = '') => tenant.owner.client.get(`/api/incidents/${one.id}/notifications${query}`);

  test('is paged, newest first, with the fields of an entry', async () => {
    const first = await read();
    expect(first.data.pagination).toEqual({
      page: 1, pageSize: 10, total: 25, totalPages: 3, hasNext: true, hasPrevious: false,
    });
    expect(first.data.notifications[0]).toEqual({
      id: expect.any(
        String,
      ), incident_id: one.id, channel: 'webhook', recipient: 'r24', status: 'delivered', delivered_at: '2026-06-01T12:00:00.000Z', error_message: null,
      retry_count: 0, max_retries: 5, last_retry_at: null, created_at: '2026-06-01T12:00:00.024Z',
      updated_at: '2026-06-01T12:00:00.024Z',
    });
    expect((await read('?page=3')).data.pagination).toMatchObject({ hasNext: false, hasPrevious: true });
    expect((await read('?page=3')).data.notifications).toHaveLength(5);
    expect((await read('?pageSize=100&status=failed&channel=webhook')).data.notifications.map(
      (entry: Loose) => entry.recipient,
    ))
      .toEqual(['r4', 'r3', 'r2', 'r1']);
    expect((await read('?status=bounced')).data.pagination).toEqual({
      page: 1, pageSize: 10, total: 0, totalPages: 0, hasNext: false, hasPrevious: false,
    });
  });

  test.each([
    '?pageSize=0', '?pageSize=101', '?page=0', '?status=lost', '?channel=pigeon', '?limit=5',
  ])('refuses %s', async (query) => {
    expect((await read(query)).code).toBe('VALIDATION_ERROR');
  });

  test('requires a session', async () => {
    for (const id of [one.id, newId(3)]) {
      for (const key of [tenant.readKey, tenant.writeKey]) {
        expect((await key.get(`/api/incidents/${id}/notifications`)).code).toBe('JWT_REQUIRED');
      }
      expect((await app.client.get(`/api/incidents/${id}/notifications`)).code).toBe('MISSING_AUTH');
    }
    const viewer = await newMember(app, tenant, 'viewer');
    expect((await viewer.client.get(`/api/incidents/${one.id}/notifications`)).status).toBe(200);
  });
});

describe('every route', () => {
  test('gives outsiders the same response as for an unknown incident', async () => {
    const one = opening(tenant);
    await outbox.open(one);
    const outsider = await newTenant(app);
    for (const path of ['', '/updates', '/notifications', '/votes']) {
      const foreign = await outsider.owner.client.get(`/api/incidents/${one.id}${path}`);
      const unknown = await outsider.owner.client.get(`/api/incidents/${newId(5)}${path}`);
      expect([foreign.status, foreign.error]).toEqual([404, unknown.error]);
      expect(foreign.error).toEqual({
        code: 'RESOURCE_NOT_FOUND', message: 'Incident not found', details: { resourceType: 'Incident' },
      });
      expect((await outsider.owner.client.get(`/api/incidents/nonsense${path}`)).code).toBe(
        'VALIDATION_ERROR',
      );
    }
    expect(ids(await outsider.readKey.get('/api/incidents'))).toEqual([]);
  });

  test('keeps the projects of one organization apart', async () => {
    const one = opening(tenant);
    await outbox.open(one);
    const other = (await tenant.owner.client.post('/api/projects', { name: 'Other' })).data.project.id;
    const client = tenant.owner.client.with({ 'x-project-id': other });
    expect((await client.get(`/api/incidents/${one.id}`)).code).toBe('RESOURCE_NOT_FOUND');
    expect(ids(await client.get('/api/incidents'))).toEqual([]);
  });
});
