import { expect, test } from 'vitest';
import { RecentShare, slotsOf } from '../../../probe/recent-share.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const checked = { attempt: 1, reason: 'schedule', missed: null } as const;
const missed = (count: number) => ({ ...checked, missed: { reason: 'overload', count } } as const);

test('counts the slots of the last one to two minutes, but neither rechecks nor orders', async () => {
  const clock = new SimulatedClock();
  const share = new RecentShare(clock);
  expect(share.value).toBe(0);
  share.add(slotsOf(checked));
  share.add(slotsOf(missed(3)));
  share.add(slotsOf({ ...checked, attempt: 2, reason: 'confirm' }));
  share.add(slotsOf({ ...checked, reason: 'manual' }));
  expect(share.value).toBe(0.75);
  await clock.advance(60_000);
  for (let at = 0; at < 8; at += 1) share.add(slotsOf(checked));
  expect(share.value).toBe(0.25);
  // A tenant's own choice of targets is not this probe's fault.
  share.add(slotsOf({ ...checked, missed: { reason: 'blocked_target', count: 12 } }));
  expect(share.value).toBe(0.125);
  await clock.advance(60_000);
  expect(share.value).toBe(0);
  share.add(slotsOf(missed(1)));
  await clock.advance(600_000);
  expect(share.value).toBe(0);
});

test('never exceeds 1', async () => {
  const share = new RecentShare(new SimulatedClock());
  share.add({ all: 0, bad: 5 });
  expect(share.value).toBe(0);
  share.add({ all: 2, bad: 0 });
  expect(share.value).toBe(1);
});
