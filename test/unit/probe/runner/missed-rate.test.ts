import { expect, test } from 'vitest';
import { MissedRate } from '../../../../probe/runner/missed-rate.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';

const checked = { attempt: 1, reason: 'schedule', missed: null } as const;
const missed = (count: number) => ({ ...checked, missed: { reason: 'overload', count } } as const);

test('counts the slots of the last one to two minutes, and neither rechecks nor orders', async () => {
  const clock = new SimulatedClock();
  const rate = new MissedRate(clock);
  expect(rate.share).toBe(0);
  rate.add(checked);
  rate.add(missed(3));
  rate.add({ ...checked, attempt: 2, reason: 'confirm' });
  rate.add({ ...checked, reason: 'manual' });
  expect(rate.share).toBe(0.75);
  await clock.advance(60_000);
  for (let at = 0; at < 8; at += 1) rate.add(checked);
  expect(rate.share).toBe(0.25);
  // A tenant's own choice of targets is not this probe's trouble.
  rate.add({ ...checked, missed: { reason: 'blocked_target', count: 12 } });
  expect(rate.share).toBe(0.125);
  await clock.advance(60_000);
  expect(rate.share).toBe(0);
  rate.add(missed(1));
  await clock.advance(600_000);
  expect(rate.share).toBe(0);
});
