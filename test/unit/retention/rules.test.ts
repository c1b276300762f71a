import { describe, expect, test } from 'vitest';
import { loadPlans } from '../../../controller/plans/plans.ts';
import { agedStretch, cutoffsOf, fateOf, isDue, SWEEP_EVERY_MS, type SweepState } from '../../../controller/retention/rules.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 2025-10-09T10:17:00Z. */
const NOW = Date.UTC(2025, 9, 9, 10, 17);
const plans = loadPlans(null);
const MONITOR = { monitor_id: 'm', created_at: NOW - 20 * DAY_MS, deleted_at: null };

function stateOf(at: number, change: Partial<SweepState> = {}): SweepState {
  return { done: cutoffsOf(plans.pro, at), done_at: at, run: null, ...change };
}

describe('what a plan keeps', () => {
  test.each([['free', 7, 90], ['pro', 30, 400], ['scale', 90, 800]] as const)('%s: results for %i days, counts for %i', (plan, rawDays, rollupDays) => {
    const { raw, rollups } = cutoffsOf(plans[plan], NOW);
    expect(raw).toBe(Date.UTC(2025, 9, 9, 10) - rawDays * DAY_MS);
    expect(rollups).toBe(Date.UTC(2025, 9, 9) - rollupDays * DAY_MS);
  });

  test('counts are never gone before the results they count', () => {
    expect(cutoffsOf({ raw_results_days: 30, rollups_days: 3 }, NOW).rollups).toBeLessThanOrEqual(cutoffsOf({ raw_results_days: 30, rollups_days: 3 }, NOW).raw);
  });
});

describe('an organization is gone through', () => {
  const target = cutoffsOf(plans.pro, NOW);

  test.each([
    ['at first', null, true], ['again after six hours', stateOf(NOW - SWEEP_EVERY_MS), true], ['not before', stateOf(NOW - HOUR_MS), false],
    ['when a round was broken off', stateOf(NOW - HOUR_MS, { run: { ...target, after: 'm' } }), true],
    ['at once when its plan keeps less', stateOf(NOW - HOUR_MS, { done: cutoffsOf(plans.scale, NOW - HOUR_MS) }), true],
    ['not sooner when its plan keeps more', stateOf(NOW - HOUR_MS, { done: cutoffsOf(plans.free, NOW - HOUR_MS) }), false],
  ])('%s', (_name, state, due) => {
    expect(isDue(state, target, NOW)).toBe(due);
  });
});

describe('of a monitor ages', () => {
  test('at first all since its creation', () => {
    expect(agedStretch(MONITOR, null, NOW - 7 * DAY_MS)).toEqual({ monitor_id: 'm', from: Date.UTC(2025, 8, 18), before: NOW - 7 * DAY_MS });
  });

  test('later what has aged since, and two days before that: late results may have come back', () => {
    expect(agedStretch(MONITOR, NOW - 8 * DAY_MS, NOW - 7 * DAY_MS)).toMatchObject({ from: Date.UTC(2025, 8, 29) });
  });

  test('nothing while all of it is kept', () => {
    expect(agedStretch(MONITOR, null, NOW - 30 * DAY_MS)).toBeNull();
  });
});

test.each([[null, 'kept'], [6, 'kept'], [8, 'history_goes'], [399, 'history_goes'], [401, 'all_goes']])('deleted %s days ago: %s', (days, fate) => {
  expect(fateOf({ ...MONITOR, deleted_at: days === null ? null : NOW - days * DAY_MS }, cutoffsOf(plans.pro, NOW), NOW)).toBe(fate);
});
