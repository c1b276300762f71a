import { afterAll, beforeAll, expect, test } from 'vitest';
import { FleetRig, monitorDoc } from '../helpers/fleet-rig.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';

let rig: FleetRig;
let probe: TestProbe;

beforeAll(async () => {
  rig = await FleetRig.start();
  await rig.controller();
  probe = await rig.probe('one');
  await probe.follow();
});
afterAll(() => rig.stop());

/** Ms for `times` edits one after the other, each from the call until the probe has it: the median. */
async function editMs(from: number, times = 15): Promise<number> {
  const took: number[] = [];
  for (let at = 0; at < times; at += 1) {
    const monitor = monitorDoc(from + at, { revision: 2, interval_seconds: 77 });
    const startedAt = performance.now();
    await rig.fleet.placement.apply([monitor]);
    await until(() => probe.held.get(monitor._id)?.interval_ms === 77_000, { everyMs: 1 });
    took.push(performance.now() - startedAt);
  }
  return took.sort((a, b) => a - b)[Math.floor(times / 2)] as number;
}

test('10,000 monitors are assigned and delivered in seconds, and an edit among them costs what it did among 1,000', async () => {
  await rig.fleet.placement.apply(Array.from({ length: 1000 }, (_, at) => monitorDoc(at)));
  await until(() => probe.held.size === 1000);
  const among1000 = await editMs(0);
  const startedAt = performance.now();
  await rig.fleet.placement.apply(Array.from({ length: 10_000 }, (_, at) => monitorDoc(10_000 + at)));
  await until(() => probe.held.size === 11_000);
  const deliveredMs = performance.now() - startedAt;
  const among11000 = await editMs(20);
  probe.revision = 0;
  expect(await probe.sync()).toHaveLength(22);
  expect(probe.held.size).toBe(11_000);
  expect(deliveredMs).toBeLessThan(30_000);
  expect(among11000).toBeLessThan(among1000 * 3 + 10);
});
