import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { webhookPayload } from '../../controller/destinations/channels/webhook.ts';
import { DeliveryStore } from '../../controller/delivery/store.ts';
import type { DestinationDoc } from '../../controller/destinations/destination.ts';
import { newId } from '../../shared/ids.ts';
import type { Clock } from '../../shared/time.ts';
import { alertOf, DeliveryRig, monitorConfig } from '../helpers/delivery-rig.ts';
import { startReceiver, type ReceivedRequest, type Receiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';

let rig: DeliveryRig;
let receiver: Receiver;
beforeEach(async () => {
  [rig, receiver] = await Promise.all([DeliveryRig.start(), startReceiver()]);
});
afterEach(async () => {
  await rig.stop();
  await receiver.close();
});

const payload = (request: ReceivedRequest) =>
  JSON.parse(request.body.toString('utf8')) as ReturnType<typeof webhookPayload>;

const delivered = (incidentId: string) => until(
  async () => (await rig.log(incidentId)).map(({ status }) => status).join() === 'delivered', { what: 'delivered' },
);

/** A controller whose attempts never end, because their outcome is never recorded. */
function neverRecording(): DeliveryStore {
  const deliveries = new DeliveryStore(rig.mongo.db);
  deliveries.settle = () => new Promise(() => undefined);
  return deliveries;
}

describe('a dying controller', () => {
  /** The other controller has found the claim and will check again when it expires. */
  const untilClaimSeen = ({ _id: id }: DestinationDoc) =>
    until(async () => ((await rig.queues.find(id))?.due_at ?? 0) > rig.clock.now(), { what: 'the claim is found' });

  test('that restarts resumes its own work at once', async () => {
    const dying = rig.controller({ deliveries: neverRecording(), holder: 'one' });
    await rig.destination(receiver.url);
    const incidentId = newId(1);
    await dying.alerts.fanOut(alertOf(monitorConfig(), incidentId, { startedAt: rig.clock.now() }));
    await until(() => receiver.requests.length === 1);
    const again = rig.controller({ holder: 'one' });
    await delivered(incidentId);
    expect(receiver.requests).toHaveLength(2);
    await until(() => again.service.counts.resumed === 1);
  });

  test.each([-3_600_000, 3_600_000])('keeps its claim for the same time if its clock is off by %d ms', async (byMs) => {
    const { clock } = rig;
    const off: Clock = {
      now: () => clock.now() + byMs, monotonic: () => clock.monotonic() + byMs,
      setTimer: (delayMs, fire) => clock.setTimer(delayMs, fire),
      setRepeating: (periodMs, fire) => clock.setRepeating(periodMs, fire),
    };
    const dying = rig.controller({ deliveries: neverRecording(), clock: off });
    const successor = rig.controller();
    const destination = await rig.destination(receiver.url);
    const incidentId = newId(1);
    await dying.alerts.fanOut(alertOf(monitorConfig(), incidentId, { startedAt: clock.now() }));
    await until(() => receiver.requests.length === 1);
    // Only the claim should make the other one wait.
    await rig.mongo.db.collection('deliveries').updateOne({}, { $set: { next_attempt_at: 1 } });
    await rig.mongo.db.collection('delivery_queues').updateOne({}, { $set: { due_at: 1 } });
    successor.service.wake([destination._id]);
    await untilClaimSeen(destination);
    rig.clock.warp(29_000);
    successor.service.wake([destination._id]);
    await until(() => successor.service.activeQueues === 0);
    expect(receiver.requests).toHaveLength(1);
    rig.clock.warp(2000);
    successor.service.wake([destination._id]);
    await delivered(incidentId);
    expect(receiver.requests).toHaveLength(2);
  });

  test('that dies between sending and recording causes one duplicate with the same incident and event', async () => {
    const dying = rig.controller({ deliveries: neverRecording() });
    const destination = await rig.destination(receiver.url);
    const incidentId = newId(1);
    await dying.alerts.fanOut(alertOf(monitorConfig(), incidentId, { startedAt: rig.clock.now() }));
    await until(() => receiver.requests.length === 1);
    const successor = rig.controller();
    successor.service.trigger();
    await untilClaimSeen(destination);
    expect((await rig.log(incidentId))[0]?.status).toBe('pending');
    rig.clock.warp(31_000);
    await delivered(incidentId);
    const [first, second] = receiver.requests.map(payload) as [ReturnType<typeof payload>, ReturnType<typeof payload>];
    expect(receiver.requests).toHaveLength(2);
    expect([second.incident?.id, second.event]).toEqual([first.incident?.id, first.event]);
    expect(new Set(receiver.requests.map((request) => request.headers['x-service-delivery'])).size).toBe(2);
    await until(() => successor.service.counts.resumed === 1 && successor.service.counts.sent === 1);
  });

  test('that dies before sending leaves the delivery to another one, which sends it once', async () => {
    const idle = rig.controller({ ownsShard: () => false });
    await rig.destination(receiver.url);
    const incidentId = newId(1);
    await idle.alerts.fanOut(alertOf(monitorConfig(), incidentId, { startedAt: rig.clock.now() }));
    await idle.service.stop(1000);
    rig.controller();
    await delivered(incidentId);
    expect(receiver.requests).toHaveLength(1);
  });

  test('that is suspended after its claim does not resend what another one has sent', async () => {
    const incidentId = newId(1);
    let slept = false;
    const sleepy = rig.controller({
      destinations: {
        named: (tenant, ids) => rig.destinations.named(tenant, ids),
        defaults: (tenant) => rig.destinations.defaults(tenant), ofOrganization: async () => [],
        ensureSecret: (id, candidate) => rig.destinations.ensureSecret(id, candidate),
        // Runs between the claim and the sending.
        findById: async (id) => {
          if (!slept) {
            slept = true;
            rig.controller();
            await untilClaimSeen(destination);
            rig.clock.warp(31_000);
            await delivered(incidentId);
          }
          return rig.destinations.findById(id);
        },
      },
    });
    const destination = await rig.destination(receiver.url);
    await sleepy.alerts.fanOut(alertOf(monitorConfig(), incidentId, { startedAt: rig.clock.now() }));
    await until(() => sleepy.service.counts.again === 1 || receiver.requests.length > 1);
    await until(() => sleepy.service.activeQueues === 0);
    expect(receiver.requests).toHaveLength(1);
    expect((await rig.log(incidentId))[0]?.status).toBe('delivered');
  });

  test('aborts a hanging attempt on a clean stop and releases it', async () => {
    const first = rig.controller();
    await rig.destination(receiver.url);
    receiver.behave('hang');
    const incidentId = newId(1);
    await first.alerts.fanOut(alertOf(monitorConfig(), incidentId, { startedAt: rig.clock.now() }));
    await until(() => receiver.requests.length === 1);
    await first.service.stop(1500);
    receiver.behave(200);
    rig.controller();
    await delivered(incidentId);
    expect((await rig.log(incidentId))[0]).toMatchObject({ retry_count: 0 });
  });
});
