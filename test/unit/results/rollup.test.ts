import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addRows, bucketOf, bucketTop, emptyRollup, meanTimeOf, mergeRollups, percentileOf, rollupOf, sumTotals,
  uptimeOf, uptimeOutside, type Rollup,
} from '../../../controller/results/hours/rollup.ts';
import { decodeRollup, decodeTotals, encodeRollup } from '../../../controller/results/hours/rollup-codec.ts';
import { ResultColumns } from '../../../controller/results/hours/result-columns.ts';
import type { HourTimes } from '../../../controller/verdicts/monitor-state.ts';
import type { StoredResult } from '../../../controller/results/hours/stored-result.ts';
import { storedResult } from './arbitrary.ts';
import { storedOf } from './build.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

const HOUR_MS = 3_600_000;

/** Maintenance in the first half of an hour with ten minutes of downtime in each half. */
const MAINTENANCE = {
  accounted: [20, 0, 10].map((minutes) => minutes * 60_000) as HourTimes, isAt: (at: number) => at < 1_800_000,
};

function ofRows(rows: StoredResult[], accounted: HourTimes, intervalMs: number): Rollup {
  return rollupOf(ResultColumns.of(rows), accounted, intervalMs);
}

describe('a rollup', () => {
  test('counts results overall and by region', () => {
    const rows = [
      storedOf({ response_time_ms: 10 }), storedOf({ region: 'us', response_time_ms: 30 }),
      storedOf({ outcome: 'failure', response_time_ms: null }),
      storedOf({ outcome: 'missed', missed: { reason: 'probe_down', count: 3 } }),
    ];
    const rollup = ofRows(rows, [3_000_000, 0, 600_000], 60_000);
    expect(rollup).toMatchObject({
      total: 3, failed: 1, missed: 3, time_sum: 400, time_count: 2, times: [3_000_000, 0, 600_000],
    });
    expect(rollup.regions).toEqual({
      eu: {
        total: 2, failed: 1, missed: 3, time_sum: 100, time_count: 1, time_min: 100, time_max: 100,
        histogram: [[bucketOf(10), 1]],
      },
      us: {
        total: 1, failed: 0, missed: 0, time_sum: 300, time_count: 1, time_min: 300, time_max: 300,
        histogram: [[bucketOf(30), 1]],
      },
    });
  });

  test('merged from parts equals the rollup of all their rows', () => {
    fc.assert(fc.property(fc.array(
      storedResult, { maxLength: 40 },
    ), fc.array(storedResult, { maxLength: 40 }), (some, others) => {
      const plain = (rows: typeof some): typeof some => rows.map((row) => ({ ...row, late: false }));
      const whole = ofRows([...plain(some), ...plain(others)], [3, 2, 1], 60_000);
      const merged =
        mergeRollups([ofRows(plain(some), [1, 1, 1], 60_000), ofRows(plain(others), [2, 1, 0], 60_000)]);
      expect(merged).toEqual(whole);
    }), { numRuns: fewOrAll(25, 150) });
  });

  test('does not depend on the order of its parts', () => {
    fc.assert(fc.property(fc.array(fc.array(storedResult, { maxLength: 15 }), { maxLength: 5 }), (parts) => {
      const rollups = parts.map((rows) => ofRows(rows, [1, 2, 3], 1000));
      expect(mergeRollups(rollups)).toEqual(mergeRollups([...rollups].reverse()));
    }), { numRuns: fewOrAll(15, 80) });
  });

  test('lets late results fill unmonitored time, one interval each, up to the whole hour', () => {
    const late = (outcome: 'success' | 'failure', degraded = false) =>
      storedOf({ late: true, outcome, degraded });
    expect(
      ofRows([late('success'), late('failure'), late('success', true)], [1_800_000, 0, 0], 60_000).times,
    ).toEqual([1_860_000, 60_000, 60_000]);
    const many = Array.from({ length: 100 }, () => late('success'));
    expect(ofRows(many, [0, 0, 600_000], 60_000).times).toEqual([HOUR_MS - 600_000, 0, 600_000]);
    expect(ofRows(many, [HOUR_MS, 0, 0], 60_000).times).toEqual([HOUR_MS, 0, 0]);
    expect(ofRows(
      [storedOf({ late: true, outcome: 'missed', missed: { reason: 'overload', count: 1 } })], [0, 0, 0],
      60_000,
    ).times)
      .toEqual([0, 0, 0]);
  });

  test('counts no recheck among late results, because its slot is already counted', () => {
    const late = { late: true, outcome: 'failure' as const };
    const rows = [storedOf(late), storedOf({ ...late, reason: 'confirm', attempt: 2 })];
    expect(ofRows(rows, [0, 0, 0], 60_000).times).toEqual([0, 0, 60_000]);
  });

  test('lets the late results of several regions share an unmonitored hour, in any order', () => {
    const rows = Array.from({ length: 120 }, (_, at) =>
      storedOf({ late: true, region: at % 2 ? 'eu' : 'us', outcome: at < 30 ? 'failure' : 'success' }));
    const times = [HOUR_MS * 0.75, 0, HOUR_MS * 0.25];
    expect(ofRows(rows, [0, 0, 0], 60_000).times).toEqual(times);
    expect(ofRows(rows.toReversed(), [0, 0, 0], 60_000).times).toEqual(times);
  });

  test('keeps accounted time separate from filled time, so that filling can be repeated', () => {
    const rollup = ofRows([storedOf({ late: true })], [60_000, 0, 0], 60_000);
    expect(rollup.accounted).toEqual([60_000, 0, 0]);
    expect(ofRows([storedOf({ late: true })], rollup.accounted, 60_000)).toEqual(rollup);
  });

  test('merged from nothing is empty', () => {
    expect(mergeRollups([])).toEqual(emptyRollup());
  });
});

test('a histogram bucket is at most 5 % wide and includes its upper bound', () => {
  for (const ms of [0.1, 0.2, 1, 7.3, 42, 99.9, 1000, 59_999, 3_600_000]) {
    const top = bucketTop(bucketOf(ms));
    expect(top).toBeGreaterThanOrEqual(ms - 0.05);
    expect(top).toBeLessThanOrEqual(ms * 1.06 + 0.1);
  }
});

test('a rollup survives encoding, and its totals can be decoded separately', () => {
  fc.assert(
    fc.property(fc.array(storedResult, { maxLength: 20 }), (rows) => {
      const rollup = ofRows(rows, [1, 2, 3], 1000);
      const bytes = encodeRollup(rollup);
      const { regions: _regions, ...totals } = rollup;
      expect(decodeRollup(bytes)).toEqual(rollup);
      expect(decodeTotals(bytes)).toEqual(totals);
      const { regions: _merged, ...sum } = mergeRollups([rollup, rollup]);
      expect(sumTotals([totals, totals])).toEqual(sum);
    }),
  );
});

test('uptime is the share of monitored time that was up or degraded', () => {
  expect(uptimeOf([0, 0, 0])).toBeNull();
  expect(uptimeOf([90, 5, 5])).toBe(95);
  expect(uptimeOf([0, 0, 5])).toBe(0);
  expect(uptimeOf([5, 0, 0])).toBe(100);
});

test('a mean response time has one decimal, and is null without a success', () => {
  expect(meanTimeOf({ time_sum: 0, time_count: 0 })).toBeNull();
  expect(meanTimeOf({ time_sum: 1000, time_count: 3 })).toBe(33.3);
});

describe('an hour whose results have expired', () => {
  test('adds late results, fills only free time, and keeps the accounted time', () => {
    const rows = [storedOf({}), storedOf({ outcome: 'failure', response_time_ms: null })];
    const stored = ofRows(rows, [3_000_000, 0, 500_000], 60_000);
    const late = Array.from({ length: 4 }, () => storedOf({ late: true }));
    const more = addRows(stored, ResultColumns.of(late), 60_000);
    expect(more).toMatchObject({
      total: 6, failed: 1, accounted: [3_000_000, 0, 500_000], times: [3_100_000, 0, 500_000],
    });
    expect(more.regions['eu']).toMatchObject({ total: 6, failed: 1 });
    expect(addRows(stored, ResultColumns.of([]), 60_000)).toEqual(stored);
  });
});

test('percentiles are within one bucket of the exact value, and never outside the measured range', () => {
  const times = fc.array(fc.integer({ min: 1, max: 300_000 }), { minLength: 1, maxLength: 60 });
  fc.assert(fc.property(times, fc.constantFrom(0.5, 0.95, 0.99), (tenths, share) => {
    const { regions } =
      ofRows(tenths.map((time) => storedOf({ response_time_ms: time / 10 })), [0, 0, 0], 1000);
    const sorted = tenths.map((time) => time / 10).sort((a, b) => a - b);
    const exact = sorted[Math.ceil(sorted.length * share) - 1] as number;
    const found = percentileOf(regions['eu'] as never, share) as number;
    expect(found).toBeGreaterThanOrEqual(exact - 0.1);
    expect(found).toBeLessThanOrEqual(Math.min(exact * 1.05 + 0.1, sorted.at(-1) as number));
  }), { numRuns: fewOrAll(35, 200) });
});

describe('maintenance in a rollup', () => {
  const accounted: HourTimes = [40 * 60_000, 0, 20 * 60_000];
  const whole = rollupOf(ResultColumns.of([]), accounted, 60_000, MAINTENANCE);

  test('yields two percentages from the same numbers', () => {
    expect(uptimeOf(whole.times)).toBeCloseTo(66.67, 2);
    expect(uptimeOutside(whole)).toBeCloseTo(66.67, 2);
    const bad = rollupOf(ResultColumns.of([]), accounted, 60_000, { ...MAINTENANCE, accounted: [0, 0, 20 * 60_000] });
    expect(uptimeOf(bad.times)).toBeCloseTo(66.67, 2);
    expect(uptimeOutside(bad)).toBe(100);
    expect(uptimeOutside({ ...bad, maintenance: { accounted: bad.times, times: bad.times } })).toBeNull();
  });

  test('is encoded only if there is any, and adds up', () => {
    expect(decodeRollup(encodeRollup(whole))).toEqual(whole);
    expect(decodeTotals(encodeRollup(whole)).maintenance).toEqual(whole.maintenance);
    const without = ofRows([], accounted, 60_000);
    expect(encodeRollup(without)[0]).toBe(1);
    expect(encodeRollup(whole).length).toBeGreaterThan(encodeRollup(without).length);
    const sum = mergeRollups([whole, whole, without]);
    expect(sum.maintenance.times).toEqual([40, 0, 20].map((minutes) => minutes * 60_000));
    expect(sumTotals([whole, without]).maintenance).toEqual(whole.maintenance);
  });

  test('includes the late results checked during it', () => {
    const late = (started_at: number) => storedOf({
      started_at, scheduled_at: started_at, late: true, outcome: 'failure', response_time_ms: null,
    });
    const rows = ResultColumns.of([late(60_000), late(120_000), late(3_000_000)]);
    const filled = rollupOf(rows, [0, 0, 0], 60_000, { ...MAINTENANCE, accounted: [0, 0, 0] });
    expect(filled.times).toEqual([0, 0, 180_000]);
    expect(filled.maintenance).toEqual({ accounted: [0, 0, 0], times: [0, 0, 120_000] });
    const later = addRows(filled, ResultColumns.of([late(240_000)]), 60_000, MAINTENANCE.isAt);
    expect(later.maintenance).toEqual({ accounted: [0, 0, 0], times: [0, 0, 180_000] });
  });
});
