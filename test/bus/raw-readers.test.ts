import type { NatsConnection } from 'nats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { EventClient } from '../helpers/event-client.ts';
import { Subscriber, type IssuedSubscription } from '../helpers/subscriber.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { connectController } from './probe-user.ts';
import { shardMap } from '../helpers/shard-map.ts';

let rig: ControllerRig;
let probe: TestProbe;
let outside: NatsConnection;
let monitorId: string;
/** Numbers of the results that were published, in order. */
const published: number[] = [];
let seq = 0;

beforeAll(async () => {
  rig = await startControllerRig();
  ({ nc: outside } = await connectController(rig.nats.url, rig.nats.controllerSeed));
  outside.subscribe('raw.*.>', { callback: (_error, message) =>
    void published.push(message.json<{ seq: number }>().seq) });
  await outside.flush();
  probe = await rig.probe('one');
  const monitor = { name: 'Shop', type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 300 };
  const made = await rig.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', monitor);
  monitorId = made.monitor.id;
  await probe.follow();
  await until(() => probe.held.has(monitorId), { what: 'the probe has the monitor' });
});
afterAll(async () => {
  await outside?.close();
  await rig?.stop();
});

/** Reports a result, by default of a check now; resolves to its number once the monitor shows it. */
async function report(startedAt = Date.now()): Promise<number> {
  seq += 1;
  const result: CheckResult = {
    seq, monitor_id: monitorId, assignment_rev: 99, attempt: 1, reason: 'schedule', scheduled_at: startedAt,
    started_at: startedAt, response_time_ms: 5, outcome: 'success', degraded: false, status_code: 200,
    error: null, missed: null, timings: null, remote_address: null, tls: null, detail: null,
  };
  const { region_id, probe_id } = probe.enrolment as { region_id: string; probe_id: string };
  const bytes =
    encodeBatch({ epoch: 'e', engine: 'test', first: seq, last: seq, results: [result], dropped: [] });
  const subject = subjects.results(shardMap.of(monitorId), region_id, probe_id);
  await until(async () => {
    const response = await probe.nats.request(subject, bytes, { timeout: 2000 }).catch(() => null);
    return (response?.json<{ watermark: number }>().watermark ?? 0) >= seq;
  }, { what: 'the result is stored' });
  const path = `/api/monitors/${monitorId}/results?limit=500`;
  await until(async () => {
    const { results } = await rig.session.ok<{ results: object[] }>('GET', path);
    return results.length >= seq;
  }, { what: 'the result is shown' });
  return seq;
}

test('results are published only while a subscription or a live stream reads them', async () => {
  await report();
  const issued = await rig.session.ok<IssuedSubscription>('POST', '/api/subscriptions', { name: 'Archive' });
  const subscriber = await until(() => Subscriber.connect(issued).catch(() => null), { what: 'connected' });
  await subscriber.consumer();
  const read = await report();
  await until(() => published.length > 0, { what: 'the subscribed result' });
  expect(published).toEqual([read]);
  expect((await subscriber.fetch(10)).map((text) => (JSON.parse(text) as { seq: number }).seq)).toEqual([read]);

  await rig.session.ok('DELETE', `/api/subscriptions/${issued.subscription.id}`);
  await subscriber.nc.closed();
  await report();

  const { key } = await rig.session.ok<{ key: string }>('POST', '/api/auth/api-keys', { name: 'reader' });
  const stream = await EventClient.open(rig.controller.url, { 'x-api-key': key });
  const streamed = await report();
  await stream.next('result', (data) => data['monitor_id'] === monitorId);
  expect(published).toEqual([read, streamed]);
  stream.close();
});

test('a result from a backlog has the time of its check, the time of its arrival and its epoch', async () => {
  const issued = await rig.session.ok<IssuedSubscription>('POST', '/api/subscriptions', { name: 'Backlog' });
  const subscriber = await until(() => Subscriber.connect(issued).catch(() => null), { what: 'connected' });
  await subscriber.consumer();
  const [checkedAt, sentAt] = [Date.now() - 600_000, Date.now()];
  const read = await report(checkedAt);
  const stored = (await subscriber.fetch(10)).map((text) => JSON.parse(text) as Record<string, unknown>);
  const raw = stored.at(-1);
  expect(raw).toMatchObject({ seq: read, late: true, started_at: checkedAt, epoch: 'e' });
  expect(raw?.['received_at']).toBeGreaterThanOrEqual(sentAt);
  const { results } = await rig.session.ok<{ results: Record<string, unknown>[] }>(
    'GET', `/api/monitors/${monitorId}/results`,
  );
  const [shown] = results.filter((one) => one['checked_at'] === checkedAt);
  expect(shown).toMatchObject({ late: true, received_at: raw?.['received_at'], epoch: 'e' });
  await rig.session.ok('DELETE', `/api/subscriptions/${issued.subscription.id}`);
});

test('a live stream on one controller gets the results that another controller stores', async () => {
  const other = await rig.another();
  const { key } = await rig.session.ok<{ key: string }>('POST', '/api/auth/api-keys', { name: 'reader' });
  for (const { url } of [rig.controller, other]) {
    const stream = await EventClient.open(url, { 'x-api-key': key });
    await until(async () => {
      await report();
      return stream.events.some(({ event }) => event === 'result');
    }, { what: `a result at ${url}` });
    stream.close();
  }
});
