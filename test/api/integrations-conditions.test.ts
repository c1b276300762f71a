import type { Document } from 'mongodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Conditions } from '../../controller/destinations/conditions.ts';
import { newId } from '../../shared/ids.ts';
import { alertOf, DeliveryRig, monitorConfig } from '../helpers/delivery-rig.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let rig: DeliveryRig;
let receiver: Receiver;
beforeEach(async () => {
  [rig, receiver] = await Promise.all([DeliveryRig.start(), startReceiver()]);
});
afterEach(async () => {
  await rig.stop();
  await receiver.close();
});

const events = () => receiver.requests.map(({ headers }) => headers['x-service-event']);
const subjects = () => receiver.requests.map(({ body }) => (
  (JSON.parse(body.toString()) as { subject: string }).subject.split(' ').slice(0, -3).join(' ')
));
const logged = async (incidentId: string) =>
  (await rig.log(incidentId)).map(({ alert, status, error_message }) => [alert.event, status, error_message]);

/** Hours of the day around the current one, or around the one in twelve hours. */
function hours(isOpen: boolean, outside: 'hold' | 'drop'): Pick<Conditions, 'hours'> {
  const hour = new Date(rig.clock.now()).getUTCHours() + (isOpen ? 0 : 12);
  const time = (at: number) => `${String((at + 24) % 24).padStart(2, '0')}:00`;
  return { hours: { timezone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7], from: time(hour - 2), to: time(hour + 3), outside } };
}

async function startOutage(change: Parameters<DeliveryRig['controller']>[0] = {}) {
  const { alerts } = rig.controller(change);
  const monitor = monitorConfig();
  const startedAt = rig.clock.now();
  const incidentId = newId(startedAt);
  await rig.outbox.open({
    id: incidentId, monitor, severity: 'major', type: 'status_code', error_message: 'Status 503',
    affected_regions: ['eu'], failure_count: 2, started_at: startedAt,
  });
  const outage = { ...alertOf(monitor, incidentId, { startedAt }), severity: 'major' as const };
  await alerts.fanOut(outage);
  const end = async () => {
    const resolvedAt = rig.clock.now();
    await rig.outbox.resolve({ id: incidentId, monitor, resolved_at: resolvedAt, failure_count: 2 });
    const recovery = alertOf(monitor, incidentId, { startedAt, resolvedAt });
    await alerts.fanOut(recovery);
    // As after a crash.
    await alerts.fanOut(recovery);
  };
  const acknowledge = async () => {
    const incident = await rig.incidents.findById(incidentId);
    if (incident === null) throw new Error('the incident is gone');
    const change = { status: 'acknowledged' as const, updated_at: rig.clock.now() };
    expect(await rig.incidents.change(incident, change, [])).not.toBeNull();
  };
  return { incidentId, monitor, alerts, end, acknowledge };
}

const passed = (ms: number) => rig.clock.warp(ms);
const received = (count: number) => until(() => receiver.requests.length >= count, { what: `${count} requests` });
const reminderQueued = (incidentId: string, number: number) => until(
  async () => (await rig.log(incidentId)).some(({ reminder }) => reminder === number),
  { what: 'a queued reminder' },
);
const suppressed = (incidentId: string) => until(
  async () => (await rig.log(incidentId)).some(({ status }) => status === 'suppressed'), { what: 'a suppressed alert' },
);

describe('a filter', () => {
  test.each<[string, Conditions, boolean]>([
    ['a tag of the monitor', { filter: { tags: ['shop', 'other'] } }, true],
    ['another tag', { filter: { tags: ['other'] } }, false],
    ['a group above the monitor', { filter: { group_ids: ['top'] } }, true],
    ['another group', { filter: { group_ids: ['other'] } }, false],
    ['another monitor', { filter: { monitor_ids: ['other'] } }, false],
    ['the severity', { filter: { severities: ['critical', 'major'] } }, true],
    ['the tag, but not the severity', { filter: { tags: ['shop'], severities: ['critical'] } }, false],
  ])('for %s', async (_title, conditions, isSent) => {
    const hook = await rig.destination(receiver.url, conditions);
    const groupingOf = async () => ({ tags: ['shop'], groupIds: ['top', 'below'] });
    const { end } = await startOutage({ groupingOf });
    await end();
    if (isSent) await received(2);
    expect(await rig.deliveries.ofDestination(hook._id, 10)).toHaveLength(isSent ? 2 : 0);
    if (isSent) expect(events()).toEqual(['monitor.down', 'monitor.up']);
  });

  test('that was changed meanwhile does not keep the recovery from those who got the outage', async () => {
    const hook = await rig.destination(receiver.url);
    const { end } = await startOutage();
    await received(1);
    const update = { filter: { tags: ['other'] }, updated_at: rig.clock.now() };
    expect(await rig.destinations.change(hook, update)).not.toBeNull();
    const late = await startReceiver();
    await rig.destination(late.url);
    await end();
    await received(2);
    expect(events()).toEqual(['monitor.down', 'monitor.up']);
    expect(late.requests).toEqual([]);
    await late.close();
  });
});

test('a recovery whose outage caused no alert, because the monitor was flapping, reaches all destinations', async () => {
  await rig.destination(receiver.url);
  const { alerts } = rig.controller();
  const [startedAt, resolvedAt] = [rig.clock.now() - MINUTE_MS, rig.clock.now()];
  await alerts.fanOut(alertOf(monitorConfig(), newId(startedAt), { startedAt, resolvedAt }));
  await received(1);
  expect(events()).toEqual(['monitor.up']);
});

describe('outside the hours of a destination', () => {
  test('an outage is held until the next opening if it lasts', async () => {
    await rig.destination(receiver.url, hours(false, 'hold'));
    const { end } = await startOutage();
    passed(5 * HOUR_MS);
    passed(5 * HOUR_MS + 59 * MINUTE_MS);
    await received(1);
    await end();
    await received(2);
    expect(events()).toEqual(['monitor.down', 'monitor.up']);
  });

  test('an outage that ends before the next opening is never sent, and the log says why', async () => {
    await rig.destination(receiver.url, hours(false, 'hold'));
    const { end, incidentId } = await startOutage();
    await end();
    expect(await logged(incidentId)).toEqual([['monitor.down', 'suppressed', 'the incident ended first']]);
    expect(receiver.requests).toEqual([]);
  });

  test('an outage is dropped if the destination says so', async () => {
    await rig.destination(receiver.url, hours(false, 'drop'));
    const { end, incidentId } = await startOutage();
    await end();
    expect(await logged(incidentId)).toEqual([['monitor.down', 'suppressed', 'outside the hours of the integration']]);
  });

  test('a recovery waits for the next opening, but not at what tracks incidents', async () => {
    await rig.destination(receiver.url, hours(true, 'drop'));
    const pager = await startReceiver();
    await rig.destination({ type: 'pagerduty', config: { routing_key: 'key', base_url: pager.url } }, hours(true, 'drop'));
    const { end } = await startOutage();
    await received(1);
    await until(() => pager.requests.length === 1);
    passed(6 * HOUR_MS);
    await end();
    await until(() => pager.requests.length === 2);
    expect(receiver.requests).toHaveLength(1);
    passed(18 * HOUR_MS);
    await received(2);
    expect(events()).toEqual(['monitor.down', 'monitor.up']);
    await pager.close();
  });
});

describe('a delay', () => {
  test('holds an outage back until it has lasted that long', async () => {
    await rig.destination(receiver.url, { delay_minutes: 10 });
    const { end } = await startOutage();
    const other = await rig.destination(receiver.url, { name: 'other' });
    passed(10 * MINUTE_MS);
    await received(1);
    await end();
    await received(2);
    expect(events()).toEqual(['monitor.down', 'monitor.up']);
    expect(await rig.deliveries.ofDestination(other._id, 10)).toEqual([]);
  });

  test('ends with one read of the incident', async () => {
    await rig.destination(receiver.url, { delay_minutes: 10 });
    const { incidentId } = await startOutage();
    let reads = 0;
    rig.onCommand = ({ find, filter }) => {
      if (find === 'incidents' && (filter as Document)['_id'] === incidentId) reads += 1;
    };
    passed(10 * MINUTE_MS);
    await received(1);
    expect(reads).toBe(1);
  });

  test('ends without an alert when someone acknowledges the incident meanwhile', async () => {
    await rig.destination(receiver.url, { delay_minutes: 10 });
    const { incidentId, acknowledge, end } = await startOutage();
    await acknowledge();
    passed(10 * MINUTE_MS);
    await suppressed(incidentId);
    await end();
    expect(await logged(incidentId))
      .toEqual([['monitor.down', 'suppressed', 'the incident was acknowledged first']]);
    expect(receiver.requests).toEqual([]);
  });
});

describe('reminders', () => {
  test('repeat the outage until someone acknowledges it', async () => {
    const hook = await rig.destination(receiver.url, { reminder_minutes: 30 });
    const { incidentId, acknowledge, end } = await startOutage();
    await received(1);
    for (const number of [1, 2]) {
      await reminderQueued(incidentId, number);
      passed(30 * MINUTE_MS);
      await received(1 + number);
    }
    expect(subjects()).toEqual(['[DOWN] Shop', '[STILL DOWN] Shop', '[STILL DOWN] Shop']);
    await acknowledge();
    await reminderQueued(incidentId, 3);
    passed(30 * MINUTE_MS);
    await until(async () => (await rig.log(incidentId)).every(({ status }) => status === 'delivered'));
    await end();
    await received(4);
    await until(async () => (await rig.queues.find(hook._id))?.due_at === undefined);
    expect(events()).toEqual(['monitor.down', 'monitor.down', 'monitor.down', 'monitor.up']);
  });

  test('end with the incident', async () => {
    const hook = await rig.destination(receiver.url, { reminder_minutes: 30 });
    const { incidentId, end } = await startOutage();
    await received(1);
    await reminderQueued(incidentId, 1);
    await end();
    await received(2);
    await until(async () => (await rig.queues.find(hook._id))?.due_at === undefined);
    expect(await logged(incidentId)).toEqual([['monitor.up', 'delivered', null], ['monitor.down', 'delivered', null]]);
  });
});
