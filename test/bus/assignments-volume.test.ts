import { calculateObjectSize } from 'bson';
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

interface Cost {
  commands: number;
  bytes: number;
}

/**
 * What one edit sends to the database until the probe has it: the least of `times` edits one after the other,
 * since the controller's own rounds send commands in between.
 */
async function editCost(from: number, times = 15): Promise<Cost> {
  const costs: Cost[] = [];
  for (let at = 0; at < times; at += 1) {
    const monitor = monitorDoc(from + at, { revision: 2, interval_seconds: 77 });
    const cost: Cost = { commands: 0, bytes: 0 };
    rig.onCommand = (command) => {
      cost.commands += 1;
      cost.bytes += calculateObjectSize(command);
    };
    await rig.fleet.placement.apply([monitor]);
    await until(() => probe.held.get(monitor._id)?.interval_ms === 77_000, { everyMs: 1 });
    costs.push(cost);
  }
  rig.onCommand = () => undefined;
  return costs.reduce((least, cost) => (cost.bytes < least.bytes ? cost : least));
}

test('an edit among 11,000 assigned monitors sends as many commands and bytes as one among 1,000', async () => {
  await rig.fleet.placement.apply(Array.from({ length: 1000 }, (_, at) => monitorDoc(at)));
  await until(() => probe.held.size === 1000);
  const among1000 = await editCost(0);
  await rig.fleet.placement.apply(Array.from({ length: 10_000 }, (_, at) => monitorDoc(10_000 + at)));
  await until(() => probe.held.size === 11_000);
  const among11000 = await editCost(20);
  probe.revision = 0;
  expect(await probe.sync()).toHaveLength(22);
  expect(probe.held.size).toBe(11_000);
  expect(among1000.commands).toBeGreaterThan(0);
  expect(among11000.commands).toBe(among1000.commands);
  expect(among11000.bytes).toBeLessThan(among1000.bytes * 1.1);
});
