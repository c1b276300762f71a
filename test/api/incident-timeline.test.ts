import { afterAll, beforeAll, expect, test } from 'vitest';
import { DeliveryStore } from '../../controller/delivery/store.ts';
import type { TimelineResult, TimelineStatus } from '../../controller/incidents/ports.ts';
import { MAX_PER_KIND } from '../../controller/incidents/verbs/read-timeline.ts';
import { newId } from '../../shared/ids.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { incidentBody, makeIncidentApp, type IncidentApp } from '../helpers/incident-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

let rig: IncidentApp;
let tenant: Tenant;
/** The monitors' history, newest first. */
let results: TimelineResult[] = [];
let spans: TimelineStatus[] = [];
let queries: unknown[] = [];

beforeAll(async () => {
  rig = await makeIncidentApp({
    results: async (id, query) => {
      queries.push([id, query]);
      return { results: results.slice(0, query.limit) };
    },
    statusSpans: async () => spans,
  });
  tenant = await newTenant(rig.app);
});
afterAll(() => rig.app.close());

const result = (at: number, outcome: TimelineResult['outcome'] = 'failure'): TimelineResult => ({
  region: 'eu', probe_id: newId(1), started_at: at, outcome, degraded: false, response_time_ms: 12.5,
  status_code: 503,
  error: outcome === 'failure' ? { type: 'status_code', message: 'Expected 200, got 503' } : null,
});

const timeline = async (id: string, client: ApiClient = tenant.owner.client): Promise<Loose> =>
  (await client.get(`/api/incidents/${id}/timeline`)).data;
const kinds = (data: Loose): string[] => data.timeline.map((entry: Loose) => entry.kind);

test('a timeline has results, states, history, notifications and comments in one list, oldest first', async () => {
  const monitorId = await rig.monitor(tenant);
  const start = rig.clock.now();
  const { id } =
    (await tenant.owner.client.post('/api/incidents', incidentBody({ check_id: monitorId }))).data.incident;
  await rig.clock.advance(10_000);
  const queuedAt = rig.clock.now();
  await new DeliveryStore(rig.app.db).insertAbsent([{
    _id: newId(
      queuedAt,
    ), organization_id: tenant.organizationId, project_id: tenant.projectId, destination_id: newId(
      2,
    ), monitor_id: monitorId, incident_id: id,
    alert: {} as never, channel: 'webhook', recipient: 'hooks.example', status: 'pending', attempts: 0,
    retry_count: 0, max_retries: 5, next_attempt_at: queuedAt,
    claim: null, queued_at: queuedAt, delivered_at: null, last_retry_at: null, error_message: null,
    created_at: queuedAt, updated_at: queuedAt,
  }]);
  await rig.clock.advance(10_000);
  await tenant.owner.client.post(`/api/incidents/${id}/comments`, { comment_text: 'Looking' });
  await rig.clock.advance(10_000);
  await tenant.owner.client.put(`/api/incidents/${id}/status`, { status: 'resolved' });
  results = [result(start + 30_000, 'success'), result(start + 5000), result(start)];
  spans = [
    { status: 'up', in_maintenance: false, from: start + 30_000, reason: 'check succeeded', incident_id: id },
    { status: 'down', in_maintenance: true, from: start, reason: 'check failed', incident_id: id },
    { status: 'up', in_maintenance: false, from: start - 1, reason: 'x', incident_id: null },
  ];
  queries = [];
  const data = await timeline(id);
  expect(kinds(data)).toEqual([
    'result', 'state', 'update', 'result', 'notification', 'comment', 'result', 'state', 'update',
  ]);
  expect(data.is_truncated).toBe(false);
  expect(queries).toEqual([[monitorId, { from: start, to: start + 30_001, limit: MAX_PER_KIND + 1 }]]);
  expect(data.timeline[0]).toEqual({
    kind: 'result', at: new Date(start).toISOString(),
    result: {
      region: 'eu', probe_id: expect.any(String) as string, success: false, outcome: 'failure',
      degraded: false, response_time_ms: 12.5,
      status_code: 503, error: { type: 'status_code', message: 'Expected 200, got 503' },
    },
  });
  expect(data.timeline[1].state)
    .toEqual({ status: 'down', in_maintenance: true, reason: 'check failed', incident_id: id });
  expect(data.timeline[4].notification).toMatchObject({ recipient: 'hooks.example', status: 'pending' });
  expect(data.timeline[5].comment).toMatchObject({ comment_text: 'Looking', user_id: tenant.owner.userId });

  const byKey = await timeline(id, tenant.readKey);
  expect(kinds(byKey)).toEqual(['result', 'state', 'update', 'result', 'result', 'state', 'update']);
});

test('a failed ping has no probe', async () => {
  const monitorId = await rig.monitor(tenant, 'Job');
  const { id } =
    (await tenant.owner.client.post('/api/incidents', incidentBody({ check_id: monitorId }))).data.incident;
  results = [{ ...result(rig.clock.now()), probe_id: '' }];
  spans = [];
  expect((await timeline(id)).timeline[0].result.probe_id).toBeNull();
});

test('a long timeline has the newest entries of each kind and is marked as truncated', async () => {
  const monitorId = await rig.monitor(tenant, 'Long');
  const start = rig.clock.now();
  const { id } =
    (await tenant.owner.client.post('/api/incidents', incidentBody({ check_id: monitorId }))).data.incident;
  results = Array.from({ length: MAX_PER_KIND + 50 }, (_, at) => result(start + 1_000_000 - at));
  spans = [];
  const data = await timeline(id);
  expect(data.is_truncated).toBe(true);
  expect(kinds(data).filter((kind) => kind === 'result')).toHaveLength(MAX_PER_KIND);
  expect(data.timeline.at(-1).at).toBe(new Date(start + 1_000_000).toISOString());
});

test('an incident without a monitor has no results, and another tenant\'s incident is not found', async () => {
  const { id } = (await tenant.owner.client.post('/api/incidents', incidentBody())).data.incident;
  queries = [];
  expect(kinds(await timeline(id))).toEqual(['update']);
  expect(queries).toEqual([]);
  const other = await newTenant(rig.app);
  const foreign = await other.owner.client.get(`/api/incidents/${id}/timeline`);
  expect(foreign.error).toEqual((await other.owner.client.get(`/api/incidents/${newId(3)}/timeline`)).error);
  expect(foreign.code).toBe('RESOURCE_NOT_FOUND');
});
