import { describe, expect, test } from 'vitest';
import { loadPlans } from '../../../controller/plans/plans.ts';
import {
  agedRange, cutoffsOf, fateOf, isDue, SWEEP_INTERVAL_MS, type SweepState,
} from '../../../controller/retention/rules.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 2025-10-09T10:17:00Z. */
const NOW = Date.UTC(2025, 9, 9, 10, 17);
const plans = loadPlans(null);
const MONITOR = { monitor_id: 'm', created_at: NOW - 20 * DAY_MS, deleted_at: null };

function stateOf(at: number, change: Partial<SweepState> = {}): SweepState {
  return { done: cutoffsOf(plans.pro, at), done_at: at, run: null, ...change };
}

describe('the retention of a plan', () => {
  test.each([
    ['free', 7, 90], ['pro', 30, 400], ['scale', 90, 800],
  ] as const)('%s keeps raw results for %i days and rollups for %i', (plan, rawDays, rollupDays) => {
    const { raw, rollups } = cutoffsOf(plans[plan], NOW);
    expect(raw).toBe(Date.UTC(2025, 9, 9, 10) - rawDays * DAY_MS);
    expect(rollups).toBe(Date.UTC(2025, 9, 9) - rollupDays * DAY_MS);
  });

  test('keeps rollups at least as long as raw results', () => {
    const { raw, rollups } = cutoffsOf({ raw_results_days: 30, rollups_days: 3 }, NOW);
    expect(rollups).toBeLessThanOrEqual(raw);
  });
});

describe('an organization is swept', () => {
  const target = cutoffsOf(plans.pro, NOW);
  const anHourAgo = NOW - HOUR_MS;
  const doneWith = (plan: 'free' | 'scale') =>
    stateOf(anHourAgo, { done: cutoffsOf(plans[plan], anHourAgo) });

  test.each([
    ['if it has never been swept', null, true],
    ['again after six hours', stateOf(NOW - SWEEP_INTERVAL_MS), true],
    ['not before six hours have passed', stateOf(anHourAgo), false],
    ['immediately after an interrupted sweep', stateOf(anHourAgo, { run: { ...target, after: 'm' } }), true],
    ['immediately after its retention became shorter', doneWith('scale'), true],
    ['not earlier after its retention became longer', doneWith('free'), false],
  ])('%s', (_name, state, due) => {
    expect(isDue(state, target, NOW)).toBe(due);
  });
});

describe('the expired part of a history', () => {
  test('starts with the creation of the monitor in the first sweep', () => {
    const [from, before] = [Date.UTC(2025, 8, 18), NOW - 7 * DAY_MS];
    expect(agedRange(MONITOR, null, before)).toEqual({ monitor_id: 'm', from, before });
  });

  test('starts two days before the last cutoff in later sweeps, because of late results', () => {
    const from = Date.UTC(2025, 8, 29);
    expect(agedRange(MONITOR, NOW - 8 * DAY_MS, NOW - 7 * DAY_MS)).toMatchObject({ from });
  });

  test('is null while nothing has expired', () => {
    expect(agedRange(MONITOR, null, NOW - 30 * DAY_MS)).toBeNull();
  });
});

test.each([
  [null, 'kept'], [6, 'kept'], [8, 'history_goes'], [399, 'history_goes'], [401, 'all_goes'],
])('a monitor deleted %s days ago: %s', (days, fate) => {
  const deleted_at = days === null ? null : NOW - days * DAY_MS;
  expect(fateOf({ ...MONITOR, deleted_at }, cutoffsOf(plans.pro, NOW), NOW)).toBe(fate);
});
