import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Alert } from '../../controller/verdicts/effect.ts';
import { newId } from '../../shared/ids.ts';
import { alertOf, DeliveryRig, monitorConfig, type DeliveringController } from '../helpers/delivery-rig.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';

const HEALTHY = 60;
const ROUNDS = 5;
const HANGING = 30;

let rig: DeliveryRig;
let healthy: Receiver;
let hanging: Receiver;
beforeEach(async () => {
  [rig, healthy, hanging] = await Promise.all([DeliveryRig.start(), startReceiver(), startReceiver({ behaviour: 'hang' })]);
});
afterEach(async () => {
  await rig.stop();
  await Promise.all([healthy.close(), hanging.close()]);
});

/** Milliseconds from each alert to its arrival at the healthy receiver, ascending. */
async function measure(controller: DeliveringController, healthyIds: string[], hangingIds: string[]): Promise<number[]> {
  healthy.requests.length = 0;
  const told = new Map<string, number>();
  const alert = (id: string): Alert => alertOf(monitorConfig({ notification_target_ids: [id] }), newId(Date.now()), { startedAt: Date.now() });
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all([...hangingIds, ...healthyIds].map(async (id) => {
      const one = alert(id);
      if (healthyIds.includes(id)) told.set(one.monitor.monitor_id, performance.now());
      await controller.alerts.fanOut(one);
    }));
  }
  await until(() => healthy.requests.length === HEALTHY * ROUNDS, { timeoutMs: 30_000, what: 'all healthy deliveries' });
  const arrived = (at: number) => at - performance.timeOrigin;
  return healthy.requests
    .map((request) => arrived(request.at) - (told.get((JSON.parse(request.body.toString()) as { monitor: { id: string } }).monitor.id) as number))
    .sort((one, other) => one - other);
}

test('receivers that hang do not delay the others', async () => {
  const controller = rig.controller();
  const [healthyIds, hangingIds] = [[] as string[], [] as string[]];
  for (let at = 0; at < HEALTHY; at += 1) healthyIds.push((await rig.destination(`${healthy.url}/${at}`, { is_default: false }))._id);
  for (let at = 0; at < HANGING; at += 1) hangingIds.push((await rig.destination(`${hanging.url}/${at}`, { is_default: false }))._id);
  await measure(controller, healthyIds, []);
  const alone = await measure(controller, healthyIds, []);
  const together = await measure(controller, healthyIds, hangingIds);
  const p99 = (all: number[]) => all[Math.floor(all.length * 0.99)] as number;
  // Writing the alerts of the hanging ones costs the same store half as much again; hanging for 10 s would show as seconds.
  expect(p99(together), `alone ${p99(alone)} ms, together ${p99(together)} ms`).toBeLessThan(p99(alone) * 2 + 500);
  expect(hanging.requests.length).toBeGreaterThanOrEqual(HANGING);
  expect(healthy.requests).toHaveLength(HEALTHY * ROUNDS);
});
