import { expect, test } from 'vitest';
import { planOccurrences, currentOrNext, maintenanceRangesOf } from '../../../controller/maintenance/plan-rules.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 10, 23, 2);

const window = (recurrence: string | null) =>
  ({ starts_at: START, ends_at: START + HOUR_MS, recurrence, timezone: 'UTC' });

test('a window without recurrence is planned once', () => {
  const plan = planOccurrences(window(null), START - 30 * DAY_MS);
  expect(plan).toEqual({ occurrences: [{ starts_at: START, ends_at: START + HOUR_MS }], plan_at: null });
  expect(currentOrNext(plan, START + HOUR_MS - 1)).toEqual(plan.occurrences[0]);
  expect(currentOrNext(plan, START + HOUR_MS)).toBeNull();
});

test.each(['FREQ=DAILY', 'FREQ=WEEKLY', 'FREQ=MONTHLY', 'FREQ=YEARLY'])(
  'a window with %s is planned again in time, so that no occurrence is missed', (recurrence) => {
    let now = START - HOUR_MS;
    let latestStart = -Infinity;
    const seen = new Set<number>();
    for (let time = 0; time < 60; time += 1) {
      const { occurrences, plan_at } = planOccurrences(window(recurrence), now);
      for (const { starts_at } of occurrences) {
        // Planned before it starts.
        expect(starts_at > latestStart ? starts_at : Infinity).toBeGreaterThan(now);
        seen.add(starts_at);
        latestStart = Math.max(latestStart, starts_at);
      }
      expect(plan_at).toBeGreaterThanOrEqual(now + DAY_MS);
      now = plan_at as number;
    }
    const all = [...seen].sort((a, b) => a - b);
    const maxGapDays = { DAILY: 1, WEEKLY: 7, MONTHLY: 31, YEARLY: 366 }[recurrence.slice(5)] as number;
    all.slice(1).forEach((at, index) => {
      expect(at - (all[index] as number)).toBeLessThanOrEqual(maxGapDays * DAY_MS);
    });
    expect(all.length).toBeGreaterThan(20);
  },
);

test('planning ends with the last occurrence of a rule', () => {
  const { occurrences, plan_at } = planOccurrences(window('FREQ=DAILY;COUNT=3'), START);
  expect(occurrences).toHaveLength(3);
  expect(plan_at).toBeNull();
});

test('a monitor gets the occurrences of all its windows that have not ended, by start', () => {
  const [first, second] = [planOccurrences(window('FREQ=WEEKLY'), START), planOccurrences(window(null), START)];
  const ranges = maintenanceRangesOf([
    { ...first, suppress_alerts: false }, { ...second, suppress_alerts: true },
  ], START + HOUR_MS / 2);
  expect(ranges.map(({ from, holds_alerts }) => [from - START, holds_alerts])).toEqual([
    [0, false], [0, true], [7 * DAY_MS, false],
  ]);
  expect(maintenanceRangesOf([{ ...second, suppress_alerts: true }], START + HOUR_MS)).toEqual([]);
});
