import PQueue from 'p-queue';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAddressVetting } from '../../controller/platform/outbound/address-vetting.ts';
import { HttpPoster } from '../../controller/platform/outbound/poster.ts';
import { createResolver } from '../../controller/platform/outbound/resolver.ts';
import { newId } from '../../shared/ids.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { systemClock } from '../../shared/time.ts';
import { alertOf, DeliveryRig, monitorConfig } from '../helpers/delivery-rig.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';

const HEALTHY = 60;
const ALERTS_PER_DESTINATION = 2;
const HANGING = 30;
/** Alerts created at the same time. Few enough that none waits two seconds for a database connection and fails. */
const atOnce = new PQueue({ concurrency: 8 });

let rig: DeliveryRig;
let healthy: Receiver;
let hanging: Receiver;
beforeEach(async () => {
  [
    rig, healthy, hanging,
  ] = await Promise.all([DeliveryRig.start(), startReceiver(), startReceiver({ behaviour: 'hang' })]);
});
afterEach(async () => {
  await rig.stop();
  await Promise.all([healthy.close(), hanging.close()]);
});

test('healthy receivers get all their alerts while others hang', async () => {
  // This poster's deadlines never pass, so no attempt to a hanging receiver ends.
  const vetting = createAddressVetting({ resolve: createResolver(systemClock), allowPrivate: true, clock: systemClock });
  const poster = new HttpPoster({ clock: new SimulatedClock(), vetting });
  const { alerts, service } = rig.controller({ poster });
  const ids: string[] = [];
  const add = async (url: string) => void ids.push((await rig.destination(url, { is_default: false }))._id);
  for (let at = 0; at < HANGING; at += 1) await add(`${hanging.url}/${at}`);
  for (let at = 0; at < HEALTHY; at += 1) await add(`${healthy.url}/${at}`);
  for (let iteration = 0; iteration < ALERTS_PER_DESTINATION; iteration += 1) {
    await atOnce.addAll(ids.map((id) => () => {
      const monitor = monitorConfig({ notification_target_ids: [id] });
      return alerts.fanOut(alertOf(monitor, newId(Date.now()), { startedAt: Date.now() }));
    }));
  }
  await until(() => healthy.requests.length === HEALTHY * ALERTS_PER_DESTINATION, { what: 'all healthy deliveries' });
  await until(() => hanging.requests.length === HANGING, { what: 'an attempt to each hanging receiver' });
  await until(() => service.counts.sent === HEALTHY * ALERTS_PER_DESTINATION, { what: 'all healthy deliveries are recorded' });
  expect(service.counts).toMatchObject({ retry: 0, failed: 0 });
  await poster.close();
});
