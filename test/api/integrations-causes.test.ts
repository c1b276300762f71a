import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DeliveryDoc } from '../../controller/delivery/delivery.ts';
import type { DestinationFields } from '../../controller/destinations/destination.ts';
import type { MonitorConfig } from '../../controller/verdicts/monitor-config.ts';
import { newId } from '../../shared/ids.ts';
import { alertOf, DeliveryRig, monitorConfig, TENANT, type DeliveringController } from '../helpers/delivery-rig.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';

const MINUTE_MS = 60_000;
/** Longer than an outage waits for its cause. */
const WAIT_MS = 58_000;
/** A message waits less if all monitors of its cause are down. */
const SOON_MS = 5000;
const COUNT = fewOrAll(8, 30);
/** In the long run, more than a destination gets mails in an hour. */
const MAILED = fewOrAll(8, 70);

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
  event: string;
  subject: string;
  incident: { id: string; cause: { id: string; kind: string; value: string } | null };
}

const payloads = () => receiver.requests.map(({ body }) => JSON.parse(body.toString()) as Payload);
const subjects = () => payloads().map(({ subject }) => subject);
const passed = (ms: number) => rig.clock.warp(ms);

/** Skips the seconds until a message about a cause is due. */
async function skipToMessage(): Promise<void> {
  const now = rig.clock.now();
  const soon = { status: 'pending' as const, digest_at: { $gt: now, $lt: now + SOON_MS } };
  const next = await rig.mongo.db.collection<DeliveryDoc>('deliveries').findOne(soon);
  if (next?.digest_at) passed(next.digest_at - now);
}

const received = (count: number) => until(async () => {
  await skipToMessage();
  return receiver.requests.length >= count;
}, { what: `${count} requests` });
const grouped = (change: Partial<DestinationFields> = {}) =>
  rig.destination(receiver.url, { grouping: 'auto', ...change });

/** Monitors that have these features, in the store. */
async function createMonitors(count: number, features: string[], name = 'm'): Promise<MonitorConfig[]> {
  const monitors = Array.from({ length: count }, (_, at) => monitorConfig({ name: `${name}${at}` }));
  await Promise.all(monitors.map(({ monitor_id }) =>
    rig.features.save({ monitor_id, organization_id: TENANT.organizationId, features, position: 1 })));
  return monitors;
}

class Outages {
  readonly #controller: DeliveringController;
  readonly #open = new Map<string, { monitor: MonitorConfig; startedAt: number }>();

  constructor(controller: DeliveringController) {
    this.#controller = controller;
  }

  async begin(monitors: MonitorConfig[], features: string[]): Promise<string[]> {
    return Promise.all(monitors.map(async (monitor) => {
      const startedAt = rig.clock.now();
      const id = newId(startedAt);
      this.#open.set(id, { monitor, startedAt });
      await rig.outbox.open({
        id, monitor, severity: 'critical', type: 'connection_error', error_message: 'Connection refused',
        affected_regions: ['eu'], failure_count: 2, started_at: startedAt, features,
      });
      const alert = alertOf(monitor, id, { startedAt });
      await this.#controller.alerts.fanOut(alert);
      return id;
    }));
  }

  async end(ids: string[]): Promise<void> {
    for (const id of ids) {
      const { monitor, startedAt } = this.#open.get(id) as { monitor: MonitorConfig; startedAt: number };
      const resolvedAt = rig.clock.now();
      await rig.outbox.resolve({ id, monitor, resolved_at: resolvedAt, failure_count: 2 });
      await this.#controller.alerts.fanOut(alertOf(monitor, id, { startedAt, resolvedAt }));
    }
  }
}

const settled = () => until(async () => {
  const all = await rig.mongo.db.collection('deliveries').countDocuments({ status: 'pending' });
  return all === 0;
}, { what: 'all deliveries are settled' });

const ADDRESS = ['address:192.0.2.7', 'network:192.0.2.0/24'];

describe('a destination that groups', () => {
  test('gets the first of many outages at one address, a summary of all once they are down, and one end', async () => {
    await grouped();
    const outages = new Outages(rig.controller());
    const monitors = await createMonitors(COUNT, ADDRESS);
    const [first, ...others] = monitors;
    const begun = await outages.begin([first as MonitorConfig], ADDRESS);
    await received(1);
    expect(subjects()[0]).toMatch(/^\[DOWN\] m0 — /);
    begun.push(...await outages.begin(others, ADDRESS));
    await received(2);
    expect(subjects()[1]).toBe(`[DOWN] ${COUNT} monitors behind 192.0.2.7 are down`);
    await outages.end(begun);
    await received(3);
    await settled();
    expect(subjects()[2]).toMatch(new RegExp(`^\\[UP\\] ${COUNT} monitors behind 192\\.0\\.2\\.7 are back up after \\d+`));
    expect(subjects()).toHaveLength(3);
    const [cause] = await rig.mongo.db.collection('causes').find().toArray();
    expect(cause).toMatchObject({ kind: 'address', value: '192.0.2.7', monitors_having: COUNT });
    expect(cause?.['ended_at']).toBeGreaterThan(0);
    expect(new Set(payloads().map(({ incident }) => incident.id))).toEqual(new Set([begun[0]]));
    expect(payloads().map(({ incident }) => incident.cause?.value ?? null)).toEqual([null, '192.0.2.7', '192.0.2.7']);
  });

  test.each(['name_server:192.0.2.53', `certificate:${'0f'.repeat(32)}`, 'region:eu'])(
    'gets one first alert, one summary and one end of outages with %s', async (feature) => {
      await grouped();
      const outages = new Outages(rig.controller());
      await createMonitors(COUNT, ['region:us'], 'other');
      const begun = await outages.begin(await createMonitors(COUNT, [feature]), [feature]);
      await received(2);
      await outages.end(begun);
      await received(3);
      await settled();
      expect(subjects()).toEqual([
        expect.stringMatching(/^\[DOWN\] m\d+ — /), expect.stringMatching(new RegExp(`^\\[DOWN\\] ${COUNT} monitors .* are down$`)),
        expect.stringMatching(new RegExp(`^\\[UP\\] ${COUNT} monitors .* are back up after `)),
      ]);
    },
  );

  test('gets a summary within a minute if some monitors with the feature stay up', async () => {
    await grouped();
    const outages = new Outages(rig.controller());
    const monitors = await createMonitors(10, ADDRESS);
    const begun = await outages.begin(monitors.slice(0, 8), ADDRESS);
    await received(1);
    passed(30_000);
    const [destination] = await rig.destinations.list(TENANT);
    const waiting = () => rig.deliveries.pending(destination?._id ?? '', 100);
    await until(async () => (await waiting()).length === 7, { what: 'seven wait' });
    passed(WAIT_MS - 30_000);
    await received(2);
    expect(subjects()[1]).toBe('[DOWN] 8 monitors behind 192.0.2.7 are down');
    await outages.end(begun);
    await received(3);
    await settled();
    expect(subjects().slice(2)).toEqual([expect.stringMatching(/^\[UP\] 8 monitors behind 192\.0\.2\.7 are back up/)]);
  });

  test('gets ten alerts of ten outages that have nothing rare in common, at once', async () => {
    await grouped();
    const outages = new Outages(rig.controller());
    for (let at = 0; at < 10; at += 1) {
      const features = [`address:192.0.${at}.7`, `network:192.0.${at}.0/24`, 'region:eu', 'group:all'];
      await outages.begin(await createMonitors(1, features, `lone${at}-`), features);
    }
    await received(10);
    expect(subjects().every((subject) => /^\[DOWN\] lone\d-0 — /.test(subject))).toBe(true);
    expect(await rig.mongo.db.collection('causes').countDocuments()).toBe(0);
  });

  test('gets two first alerts and two summaries of two causes at once', async () => {
    await grouped();
    const outages = new Outages(rig.controller());
    const [one, other] = [['address:192.0.2.1'], ['name_server:ns.example']];
    const [mine, theirs] = await Promise.all([createMonitors(5, one, 'a'), createMonitors(5, other, 'b')]);
    const begun: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      begun.push(...await outages.begin(mine.slice(at, at + 1), one));
      begun.push(...await outages.begin(theirs.slice(at, at + 1), other));
    }
    await received(4);
    await outages.end(begun);
    await received(6);
    await settled();
    expect(subjects().map((subject) => subject.replace(/ — .*| after .*/, '')).toSorted()).toEqual([
      '[DOWN] 5 monitors behind 192.0.2.1 are down', '[DOWN] 5 monitors that use the DNS server ns.example are down',
      '[DOWN] a0', '[DOWN] b0',
      '[UP] 5 monitors behind 192.0.2.1 are back up', '[UP] 5 monitors that use the DNS server ns.example are back up',
    ]);
  });

  test('gets an outage that turns out to have no cause in common after a minute, with its recovery', async () => {
    await grouped();
    const outages = new Outages(rig.controller());
    const monitors = await createMonitors(10, ADDRESS);
    const begun = await outages.begin(monitors.slice(0, 2), ADDRESS);
    await received(1);
    await outages.end(begun);
    await received(2);
    passed(WAIT_MS);
    await received(4);
    await settled();
    expect(payloads().map(({ event }) => event).toSorted())
      .toEqual(['monitor.down', 'monitor.down', 'monitor.up', 'monitor.up']);
    const second = payloads().filter(({ incident }) => incident.id === payloads()[2]?.incident.id);
    expect(second.map(({ event }) => event)).toEqual(['monitor.down', 'monitor.up']);
  });

  test('gets an outage counted whose alert was sent by itself before it had a cause', async () => {
    await grouped();
    const outages = new Outages(rig.controller());
    const monitors = await createMonitors(10, ADDRESS);
    const begun = await outages.begin(monitors.slice(0, 2), ADDRESS);
    await received(1);
    passed(WAIT_MS);
    await received(2);
    begun.push(...await outages.begin(monitors.slice(2), ADDRESS));
    await received(3);
    expect(subjects()[2]).toBe('[DOWN] 10 monitors behind 192.0.2.7 are down');
    await outages.end(begun);
    await received(4);
    await settled();
    expect(subjects().slice(3)).toEqual([expect.stringMatching(/^\[UP\] 10 monitors behind 192\.0\.2\.7 are back up/)]);
  });

  test('gets a monitor that goes down twice counted once', async () => {
    await grouped();
    const outages = new Outages(rig.controller());
    const [first, twice, third] = await createMonitors(3, ADDRESS) as [MonitorConfig, MonitorConfig, MonitorConfig];
    const begun = await outages.begin([first], ADDRESS);
    await received(1);
    await outages.end(await outages.begin([twice], ADDRESS));
    passed(10_000);
    begun.push(...await outages.begin([twice, third], ADDRESS));
    await received(2);
    expect(subjects()[1]).toBe('[DOWN] 3 monitors behind 192.0.2.7 are down');
    await outages.end(begun);
    await received(3);
    await settled();
    expect(subjects().slice(2)).toEqual([expect.stringMatching(/^\[UP\] 3 monitors behind 192\.0\.2\.7 are back up/)]);
  });

  test('gets no summary early because a monitor goes down twice', async () => {
    const [{ _id: destination }, monitors] = await Promise.all([grouped(), createMonitors(5, ADDRESS)]);
    const outages = new Outages(rig.controller());
    await outages.begin(monitors.slice(0, 1), ADDRESS);
    await received(1);
    await outages.end(await outages.begin(monitors.slice(1, 2), ADDRESS));
    passed(5000);
    await outages.begin(monitors.slice(1, 4), ADDRESS);
    const due = await until(async () => (await rig.deliveries.pending(destination, 100))
      .find(({ notBefore }) => notBefore !== undefined)?.notBefore, { what: 'a summary is due' });
    expect(due).toBeGreaterThan(rig.clock.now() + 10_000);
  });

  test('gets what changes in at most one update in five minutes', async () => {
    await grouped();
    const outages = new Outages(rig.controller());
    const monitors = await createMonitors(5, ADDRESS);
    const begun = await outages.begin(monitors.slice(0, 4), ADDRESS);
    await received(1);
    passed(WAIT_MS);
    await received(2);
    begun.push(...await outages.begin(monitors.slice(4), ADDRESS));
    await outages.end(begun.slice(0, 2));
    passed(4 * MINUTE_MS);
    const [destination] = await rig.destinations.list(TENANT);
    await until(async () => (await rig.deliveries.pending(destination?._id ?? '', 10)).length === 3, { what: 'three wait' });
    expect(subjects()).toHaveLength(2);
    passed(MINUTE_MS + 5000);
    await received(3);
    expect(subjects()[2]).toBe('[DOWN] 3 of 5 monitors behind 192.0.2.7 are down');
    await outages.end(begun.slice(2));
    await received(4);
    await settled();
    expect(subjects()).toHaveLength(4);
    expect(subjects()[3]).toMatch(/^\[UP\] 5 monitors behind 192\.0\.2\.7 are back up/);
  });

  test('gets nothing twice and misses nothing when its controller is replaced at any moment', async () => {
    await grouped();
    let controller = rig.controller();
    const replace = async () => {
      await controller.service.stop(2000);
      controller = rig.controller();
    };
    const outages = (): Outages => new Outages(controller);
    const monitors = await createMonitors(5, ADDRESS);
    const started = outages();
    const begun = await started.begin(monitors.slice(0, 2), ADDRESS);
    await received(1);
    await replace();
    const rest = outages();
    begun.push(...await rest.begin(monitors.slice(2, 4), ADDRESS));
    await replace();
    passed(WAIT_MS);
    await received(2);
    await replace();
    await started.end(begun.slice(0, 2));
    await replace();
    await rest.end(begun.slice(2));
    await received(3);
    await settled();
    expect(subjects().map((subject) => subject.replace(/ — .*| after .*/, ''))).toEqual([
      '[DOWN] m0', '[DOWN] 4 monitors behind 192.0.2.7 are down', '[UP] 4 monitors behind 192.0.2.7 are back up',
    ]);
  });

  test('in each of its recipients gets a thread of its own', async () => {
    const sent: { to: string; subject: string }[] = [];
    await rig.destination({ type: 'email', config: { to: ['a@example.com', 'b@example.com'] } });
    const outages = new Outages(rig.controller({
      mailer: { send: async ({ to, subject }) => {
        sent.push({ to, subject });
        return { kind: 'sent' };
      } },
    }));
    const begun = await outages.begin(await createMonitors(MAILED, ADDRESS), ADDRESS);
    await until(() => sent.length === 4, { what: 'two mails each' });
    await outages.end(begun);
    await until(() => sent.length === 6, { what: 'the end' });
    await settled();
    for (const address of ['a@example.com', 'b@example.com']) {
      const own = sent.filter(({ to }) => to === address).map(({ subject }) => subject.replace(/ — .*| after .*/, ''));
      expect(own.slice(1)).toEqual([
        `[DOWN] ${MAILED} monitors behind 192.0.2.7 are down`, `[UP] ${MAILED} monitors behind 192.0.2.7 are back up`,
      ]);
      expect(own).toHaveLength(3);
    }
  });
});

test('a destination that does not group gets one alert per outage, as webhooks do by default', async () => {
  await rig.destination(receiver.url);
  const outages = new Outages(rig.controller());
  const begun = await outages.begin(await createMonitors(10, ADDRESS), ADDRESS);
  await received(10);
  await outages.end(begun);
  await received(20);
  expect(subjects().filter((subject) => subject.startsWith('[UP] m'))).toHaveLength(10);
  expect(payloads().some(({ incident: { cause } }) => cause?.kind === 'address')).toBe(true);
});
