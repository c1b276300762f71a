import type { NatsConnection } from 'nats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { liveEventMessage, type LiveEventMessage } from '../../controller/events/event.ts';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { EventClient } from '../helpers/event-client.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { connectController } from './probe-user.ts';
import { shardMap } from '../helpers/shard-map.ts';

const SECRET = 'Bearer very-secret';

let rig: ControllerRig;
let probe: TestProbe;
let outside: NatsConnection;
let stream: EventClient;
const received: { subject: string; message: LiveEventMessage }[] = [];
const raw: string[] = [];
/** The last number of each shard. */
const seqs = new Map<number, number>();

beforeAll(async () => {
  rig = await startControllerRig();
  ({ nc: outside } = await connectController(rig.nats.url, rig.nats.controllerSeed));
  outside.subscribe('events.>', { callback: (_error, message) =>
    void received.push({ subject: message.subject, message: liveEventMessage.parse(message.json()) }) });
  outside.subscribe('raw.>', { callback: (_error, message) => void raw.push(message.string()) });
  probe = await rig.probe('one');
  const { key } = await rig.session.ok<{ key: string }>('POST', '/api/auth/api-keys', { name: 'reader' });
  stream = await EventClient.open(rig.controller.url, { 'x-api-key': key });
});
afterAll(async () => {
  stream?.close();
  await outside?.close();
  await rig?.stop();
});

async function report(monitorId: string, outcome: 'success' | 'failure'): Promise<void> {
  const shard = shardMap.of(monitorId);
  const seq = (seqs.get(shard) ?? 0) + 1;
  seqs.set(shard, seq);
  const error =
    outcome === 'success' ? null : ({ type: 'status_code', message: 'Expected 200, got 503' } as const);
  const result: CheckResult = {
    seq, monitor_id: monitorId, assignment_rev: 99, attempt: 1, reason: 'schedule', scheduled_at: Date.now(),
    started_at: Date.now(), response_time_ms: 5, outcome,
    degraded: false, status_code: error ? 503 : 200, error, missed: null, timings: null, remote_address: null,
    tls: null, detail: null,
  };
  const { region_id, probe_id } = probe.enrolment as { region_id: string; probe_id: string };
  const bytes =
    encodeBatch({ epoch: 'e', engine: 'test', first: seq, last: seq, results: [result], dropped: [] });
  await probe.nats.request(
    subjects.results(shard, region_id, probe_id), bytes, { timeout: 60_000 },
  );
}

test('results, states, incidents and probes are published on the bus and streamed to clients', async () => {
  const monitor = {
    name: 'Shop', type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 300,
    confirmation_policy: { regions: 'any', retries: 0 },
    http_config: { method: 'GET', headers: { Authorization: SECRET } },
  };
  const { monitor: { id } } =
    await rig.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', monitor);
  const state = (status: string) =>
    stream.next('monitor.state', (data) => data['monitor_id'] === id && data['status'] === status);
  await until(async () => {
    await report(id, 'success');
    return stream.events.some(({ event, data }) => event === 'monitor.state' && data['status'] === 'up');
  }, { what: 'the monitor is up' });
  await report(id, 'failure');
  expect((await state('down')).data).toMatchObject({
    previous_status: 'up', incident_id: expect.any(String) as string,
  });
  const opened = await stream.next('incident', (data) => data['status'] === 'open');
  expect(opened.data).toMatchObject({ check_id: id, source: 'system', severity: 'major' });
  await rig.session.ok('POST', `/api/incidents/${String(opened.data['id'])}/acknowledge`);
  await stream.next(
    'incident', (data) => data['status'] === 'acknowledged' && data['acknowledged_by_name'] === 'Operator',
  );
  await report(id, 'success');
  await stream.next('incident', (data) => data['status'] === 'resolved' && data['resolved_by'] === 'system');
  await stream.next(
    'result', (data) => data['monitor_id'] === id && data['success'] === false && data['status_code'] === 503,
  );

  const seen = stream.events.filter(({ event }) => event !== 'result');
  await until(
    () => seen.every((one) => received.some(({ message }) => message.id === one.id)),
    { what: 'the bus has all messages' },
  );
  for (const { subject, message } of received) {
    expect(subject).toBe(`events.${message.organization_id}.${message.project_id}.${message.kind}`);
  }
  expect(new Set(stream.events.map((one) => one.id)).size).toBe(stream.events.length);
  expect(raw.length).toBeGreaterThanOrEqual(3);
  for (const text of [...raw, JSON.stringify(received), stream.raw]) expect(text).not.toContain('very-secret');
});

test('the start and end of maintenance appear in live events and in the history', async () => {
  const monitor = {
    name: 'Bank', type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 300,
    confirmation_policy: { regions: 'any', retries: 0 },
  };
  const { monitor: { id } } =
    await rig.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', monitor);
  const { projects: [project] } = await rig.session.ok<{ projects: { id: string }[] }>('GET', '/api/projects');
  const next = (is: (data: Record<string, unknown>) => boolean) =>
    stream.next('monitor.state', (data) => data['monitor_id'] === id && is(data));
  await until(async () => {
    await report(id, 'success');
    return stream.events.some(({ data }) => data['monitor_id'] === id && data['status'] === 'up');
  }, { what: 'the monitor is up' });
  const [starts_at, ends_at] = [0, 3_600_000].map((inMs) => new Date(Date.now() + inMs).toISOString());
  const windows = `/api/projects/${project?.id}/maintenance-windows`;
  const { maintenance_window: { id: windowId } } = await rig.session.ok<{ maintenance_window: { id: string } }>(
    'POST', windows, { title: 'Move', starts_at, ends_at, monitor_ids: [id] },
  );
  expect((await next((data) => data['in_maintenance'] === true)).data).toMatchObject({
    status: 'up', previous_status: 'up', reason: 'maintenance began', incident_id: null,
  });
  await rig.session.ok('DELETE', `${windows}/${windowId}`);
  expect((await next(({ reason }) => reason === 'maintenance ended')).data).toMatchObject({
    status: 'up', previous_status: 'up', in_maintenance: false,
  });
  const { history } = await rig.session.ok<{ history: { status: string; in_maintenance: boolean }[] }>(
    'GET', `/api/monitors/${id}/status-history`,
  );
  expect(history.map(({ status, in_maintenance: isMaintained }) => [status, isMaintained]))
    .toEqual([['up', false], ['up', true], ['up', false]]);
});

test('a beat of a probe is streamed to the projects that may see the probe', async () => {
  const { probe_id } = probe.enrolment as { probe_id: string };
  const online = await until(() => {
    probe.beat();
    return stream.events.find(({ event, data }) => event === 'probe' && data['id'] === probe_id);
  }, { what: 'the probe is reported online', everyMs: 500 });
  expect(online.data).toMatchObject({ name: 'one', region_id: 'local', status: 'online' });
});
