import { expect, test } from 'vitest';
import { type WorkClaim, WorkClaims } from '../../../controller/work/claimed-work.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const HOUR_MS = 3_600_000;
const LASTS_MS = 30_000;

function controller(holder: string, aheadMs = 0) {
  const clock = new SimulatedClock();
  clock.jump(aheadMs);
  return { clock, workClaims: new WorkClaims({ clock, holder, ttlMs: LASTS_MS }) };
}

test.each([-HOUR_MS, 0, HOUR_MS])("a claim lasts from when it is first seen, even if a controller's clock is %i ms ahead", async (aheadMs) => {
  const [one, other] = [controller('one'), controller('other', aheadMs)];
  const claim = one.workClaims.create();
  await other.clock.advance(10 * HOUR_MS);
  expect([other.workClaims.isFree(claim), other.workClaims.remainingMs(claim)]).toEqual([false, LASTS_MS]);
  await other.clock.advance(LASTS_MS - 1);
  other.clock.jump(HOUR_MS);
  expect(other.workClaims.isFree(claim)).toBe(false);
  await other.clock.advance(1);
  expect(other.workClaims.isFree(claim)).toBe(true);
  expect(one.workClaims.isFree(claim)).toBe(false);
});

test("a restarted controller's own claims expire immediately, and no others", () => {
  const [before, after] = [controller('one').workClaims, controller('one').workClaims];
  expect(after.isFree(before.create())).toBe(true);
  expect(after.isFree(controller('other').workClaims.create())).toBe(false);
  expect(after.isFree(after.create())).toBe(false);
  expect([after.isFree(null), after.isFree(undefined)]).toEqual([true, true]);
});

test('held tokens are unexpired claims: seen ones, and own ones whose work is running or has thrown', async () => {
  const { workClaims, clock } = controller('one');
  const foreign = controller('other').workClaims.create();
  workClaims.isFree(foreign);
  expect(workClaims.heldTokens).toEqual([foreign.token]);
  const taken: WorkClaim[] = [];
  const take = async (claim: WorkClaim) => {
    taken.push(claim);
    return 'work';
  };
  const outcome = workClaims.runClaimed(take, async (work) => {
    expect(workClaims.heldTokens).toEqual([foreign.token, taken[0]?.token]);
    return `${work} done`;
  });
  expect(await outcome).toBe('work done');
  expect(workClaims.heldTokens).toEqual([foreign.token]);
  expect(await workClaims.runClaimed(async () => null, () => Promise.reject(new Error('not ours')))).toBeNull();
  expect(workClaims.heldTokens).toEqual([foreign.token]);
  await clock.advance(1);
  await expect(workClaims.runClaimed(take, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(workClaims.heldTokens).toEqual([foreign.token, taken[1]?.token]);
  await clock.advance(LASTS_MS - 1);
  expect(workClaims.heldTokens).toEqual([taken[1]?.token]);
  await clock.advance(1);
  expect(workClaims.heldTokens).toEqual([]);
  expect(workClaims.isFree(taken[1])).toBe(true);
});

test('a claim under which no work began is free at once for its controller, and not for others', async () => {
  const [one, other] = [controller('one').workClaims, controller('other').workClaims];
  const stored: WorkClaim[] = [];
  const fail = (claim: WorkClaim) => {
    stored.push(claim);
    return Promise.reject(new Error('no response'));
  };
  await expect(one.runClaimed(fail, async () => 'work')).rejects.toThrow('no response');
  const [claim] = stored as [WorkClaim];
  expect([one.isFree(claim), one.isUnused(claim), one.heldTokens]).toEqual([true, true, []]);
  expect([other.isFree(claim), other.isUnused(claim)]).toEqual([false, false]);
});

test('the number of tracked claims and of excluded tokens is bounded', () => {
  const { workClaims } = controller('one');
  const other = controller('other').workClaims;
  const all = Array.from({ length: 10_001 }, () => other.create());
  for (const claim of all) workClaims.isFree(claim);
  expect(workClaims.heldTokens).toHaveLength(1000);
  expect(workClaims.heldTokens.at(-1)).toBe(all.at(-1)?.token);
});
