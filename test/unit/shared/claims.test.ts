import { expect, test } from 'vitest';
import { Claims, type Claim } from '../../../shared/claims.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const HOUR_MS = 3_600_000;
const LASTS_MS = 30_000;

function controller(holder: string, aheadMs = 0) {
  const clock = new SimulatedClock();
  clock.jump(aheadMs);
  return { clock, claims: new Claims({ clock, holder, lastsMs: LASTS_MS }) };
}

test.each([-HOUR_MS, 0, HOUR_MS])('a claim lasts from when it is met, whoever is %i ms ahead', async (aheadMs) => {
  const [one, other] = [controller('one'), controller('other', aheadMs)];
  const claim = one.claims.begin();
  await other.clock.advance(10 * HOUR_MS);
  expect([other.claims.isFree(claim), other.claims.leftMs(claim)]).toEqual([false, LASTS_MS]);
  await other.clock.advance(LASTS_MS - 1);
  other.clock.jump(HOUR_MS);
  expect(other.claims.isFree(claim)).toBe(false);
  await other.clock.advance(1);
  expect(other.claims.isFree(claim)).toBe(true);
  expect(one.claims.isFree(claim)).toBe(false);
});

test('a controller that is back is free of its own claims at once, and of no others', () => {
  const [before, after] = [controller('one').claims, controller('one').claims];
  expect(after.isFree(before.begin())).toBe(true);
  expect(after.isFree(controller('other').claims.begin())).toBe(false);
  expect(after.isFree(after.begin())).toBe(false);
  expect([after.isFree(null), after.isFree(undefined)]).toEqual([true, true]);
});

test('held are the claims that last: those met, and own ones whose work goes on or has thrown', async () => {
  const { claims, clock } = controller('one');
  const foreign = controller('other').claims.begin();
  claims.isFree(foreign);
  expect(claims.held).toEqual([foreign.token]);
  const taken: Claim[] = [];
  const take = async (claim: Claim) => {
    taken.push(claim);
    return 'work';
  };
  const outcome = claims.under(take, async (work) => {
    expect(claims.held).toEqual([foreign.token, taken[0]?.token]);
    return `${work} done`;
  });
  expect(await outcome).toBe('work done');
  expect(claims.held).toEqual([foreign.token]);
  expect(await claims.under(async () => null, () => Promise.reject(new Error('not ours')))).toBeNull();
  expect(claims.held).toEqual([foreign.token]);
  await clock.advance(1);
  await expect(claims.under(take, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(claims.held).toEqual([foreign.token, taken[1]?.token]);
  await clock.advance(LASTS_MS - 1);
  expect(claims.held).toEqual([taken[1]?.token]);
  await clock.advance(1);
  expect(claims.held).toEqual([]);
  expect(claims.isFree(taken[1])).toBe(true);
});

test('what is remembered is bounded, and so is what a look leaves out', () => {
  const { claims } = controller('one');
  const other = controller('other').claims;
  const all = Array.from({ length: 10_001 }, () => other.begin());
  for (const claim of all) claims.isFree(claim);
  expect(claims.held).toHaveLength(1000);
  expect(claims.held.at(-1)).toBe(all.at(-1)?.token);
});
