import { afterEach, beforeEach, expect, test } from 'vitest';
import { newId } from '../../shared/ids.ts';
import { alertOf, DeliveryRig, monitorConfig } from '../helpers/delivery-rig.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';

const DIAGNOSIS = { id: newId(Date.now()), classification: 'path', summary: 'Only from Osaka: path breaks.' } as const;

let rig: DeliveryRig;
let receiver: Receiver;
beforeEach(async () => {
  [rig, receiver] = await Promise.all([DeliveryRig.start(), startReceiver()]);
});
afterEach(async () => {
  await rig.stop();
  await receiver.close();
});

interface Payload {
  monitor: { name: string };
  message: string;
  incident: { diagnosis: { classification: string; summary: string } | null };
}

const payloads = () => receiver.requests.map(({ body }) => JSON.parse(body.toString()) as Payload);
const received = (count: number) => until(() => receiver.requests.length >= count, { what: `${count} requests` });

/** Opens an outage; `isExamined`: while its target is being examined, for at least `minMs` more. */
async function outage(isExamined: boolean, name = 'Shop', minMs = 0) {
  const monitor = monitorConfig({ name });
  const id = newId(rig.clock.now());
  await rig.outbox.open({
    id, monitor, severity: 'critical', type: 'connection_error', error_message: 'Connection refused',
    affected_regions: ['eu'], failure_count: 2, started_at: rig.clock.now() - 60_000,
  });
  if (isExamined) rig.underDiagnosis.set(monitor.monitor_id, rig.clock.now() + minMs);
  return { id, alert: alertOf(monitor, id, { startedAt: rig.clock.now() - 60_000 }) };
}

const dueIn = async (id: string): Promise<number> =>
  Math.max(...(await rig.deliveries.startsOf(id)).map((one) => (one.next_attempt_at ?? 0) - rig.clock.now()));

test('an alert waits for the diagnosis until a second after its outage, whatever else its destination sends', async () => {
  rig.clock.freeze();
  await rig.destination(receiver.url);
  const { alerts } = rig.controller();
  const { id, alert } = await outage(true);
  await alerts.fanOut(alert);
  expect(await dueIn(id)).toBe(1000);
  const other = await outage(false, 'Other');
  await alerts.fanOut(other.alert);
  await received(1);
  expect(payloads().map(({ monitor }) => monitor.name)).toEqual(['Other']);
  // As after a crash: the outage began when it began.
  rig.clock.warp(600);
  await rig.destination(receiver.url);
  await alerts.fanOut(alert);
  expect(await dueIn(id)).toBe(400);
  rig.clock.warp(400);
  await received(3);
  expect(payloads().slice(1).map(({ incident }) => incident.diagnosis)).toEqual([null, null]);
  expect(payloads()[1]?.message.split('\n')[0]).toBe('Shop is down.');
});

test('an alert whose wait is over, and one that no diagnosis can reach in time, is sent at once', async () => {
  rig.clock.freeze();
  await rig.destination(receiver.url);
  const { alerts } = rig.controller();
  const late = await outage(true);
  rig.clock.warp(1000);
  await alerts.fanOut(late.alert);
  const diagnosed = await outage(true, 'Diagnosed');
  await rig.incidents.setDiagnosis([diagnosed.id], DIAGNOSIS);
  await alerts.fanOut(diagnosed.alert);
  const silent = await outage(true, 'Silent', 3000);
  await alerts.fanOut(silent.alert);
  await received(3);
  const shown = new Map(payloads().map(({ monitor, incident }) => [monitor.name, incident.diagnosis]));
  const { classification, summary } = DIAGNOSIS;
  expect(shown).toEqual(new Map([['Shop', null], ['Diagnosed', { classification, summary }], ['Silent', null]]));
});

test('a diagnosis ends the wait, and another controller sends what a crashed one left', async () => {
  rig.clock.freeze();
  await rig.destination(receiver.url);
  const { alerts, service } = rig.controller({ ownsShard: () => false });
  const [one, other] = [await outage(true, 'One'), await outage(true, 'Other')];
  await alerts.fanOut(one.alert);
  await alerts.fanOut(other.alert);
  alerts.stop();
  await service.stop(0);
  const next = rig.controller();
  await rig.incidents.setDiagnosis([one.id], DIAGNOSIS);
  const waiting = await rig.deliveries.endDiagnosisWait([one.id], rig.clock.now());
  await rig.queues.wake(waiting, rig.clock.now());
  next.service.wake(waiting.map(({ _id }) => _id));
  await received(1);
  expect(payloads()[0]?.message.split('\n')[0]).toBe(`One is down. ${DIAGNOSIS.summary}`);
  rig.clock.warp(2000);
  await received(2);
  expect(payloads()[1]?.monitor.name).toBe('Other');
});
