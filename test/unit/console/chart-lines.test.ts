import { describe, expect, test } from 'vitest';
import { isolatedPoints } from '../../../controller/console/app/charts/chart-data.ts';
import {
  linesOfChecks, linesOfSeries, percentilesOfChecks, phasesOfChecks,
} from '../../../controller/console/app/monitor/chart-lines.ts';
import { defaultSpan, movedSpan, piecesOf, sourceOf, spanOf } from '../../../controller/console/app/monitor/time-span.ts';
import type { Result } from '../../../controller/console/app/monitor/response-types.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NAMES = { p50: 'p50', p95: 'p95', p99: 'p99' };
const PHASES = { dns: 'dns', connect: 'connect', tls: 'tls', first_byte: 'first', transfer: 'transfer' };

function check(region: string, at: number, ms: number | null, more: Partial<Result> = {}): Result {
  return {
    monitor_id: 'm', region, probe_id: 'p', success: ms !== null, outcome: ms === null ? 'failure' : 'success',
    degraded: false, response_time_ms: ms, status_code: null, error: null, timings: null, checked_at: at, late: false, ...more,
  };
}

describe('lines of checks', () => {
  test('a failed check breaks its line, the times of other regions do not', () => {
    const { times, lines } = linesOfChecks(
      [check('b', 3, 30), check('a', 2, null), check('a', 4, 12), check('a', 1, 10)], (id) => id.toUpperCase(),
    );
    expect(times).toEqual([1, 2, 3, 4]);
    expect(lines.map(({ name, values }) => [name, values])).toEqual([
      ['A', [10, null, undefined, 12]], ['B', [undefined, undefined, 30, undefined]],
    ]);
  });

  test('leaves out checks that were not run', () => {
    expect(linesOfChecks([check('a', 1, null, { outcome: 'missed' })], String)).toEqual({ times: [], lines: [] });
  });

  test('percentiles are computed per bin from successful checks', () => {
    const results = Array.from({ length: 100 }, (_, at) => check('a', at, at + 1));
    const { times, lines } = percentilesOfChecks([...results, check('a', 5, null)], { from: 0, to: 60_000 }, NAMES);
    expect(times).toEqual([500]);
    expect(lines.map(({ name, values }) => [name, values[0]])).toEqual([['p99', 99], ['p95', 95], ['p50', 50]]);
  });

  test('phases are stacked and show their own time; absent ones are not drawn', () => {
    const results = [check('a', 1, 9, { timings: { dns: 2, first_byte: 6 } }), check('a', 2, 9, { timings: { dns: 4, first_byte: 8 } })];
    const { lines } = phasesOfChecks(results, { from: 0, to: 60_000 }, PHASES);
    expect(lines.map(({ name, values, displayValues }) => [name, values, displayValues])).toEqual([['first', [10], [7]], ['dns', [3], [3]]]);
  });
});

test('hours without checks break a region\'s line', () => {
  const point = (at: number, p50: number) => ({ at, p50, avg: 1, min: 1, max: 1, p95: 1, p99: 1, count: 1, failed: 0 });
  const series = [{ region: 'a', points: [point(0, 5), point(2 * HOUR_MS, 7), point(9 * HOUR_MS, 9)] }];
  const { times, lines } = linesOfSeries(series, { from: 1, to: 3 * HOUR_MS }, HOUR_MS, 'p50', String);
  expect(times).toEqual([0, HOUR_MS, 2 * HOUR_MS]);
  expect(lines[0]?.values).toEqual([5, null, 7]);
});

describe('time range', () => {
  const now = 1000 * DAY_MS;

  test.each([
    ['the default', {}, now - HOUR_MS, now, '1h'],
    ['the last year', { range: '365d' }, now - 365 * DAY_MS, now, '365d'],
    ['an unknown name', { range: 'toString' }, now - HOUR_MS, now, '1h'],
    ['explicit bounds', { from: '1000000', to: '2000000', range: '7d' }, 1_000_000, 2_000_000, null],
    ['bounds in the wrong order', { from: '20', to: '10' }, now - HOUR_MS, now, '1h'],
    ['a bound that is not a number', { from: 'x', to: '10' }, now - HOUR_MS, now, '1h'],
  ])('%s', (_title, query, from, to, name) => {
    expect(spanOf(query, now, '1h')).toEqual({ from, to, name });
  });

  test.each([
    ['of a new monitor', 0, '1h'], ['of a monitor within its first hour', HOUR_MS - 1, '1h'], ['after an hour', HOUR_MS, '6h'],
    ['within six hours', 6 * HOUR_MS - 1, '6h'], ['after six hours', 6 * HOUR_MS, '24h'], ['after a year', 365 * DAY_MS, '24h'],
    ['of a monitor created ahead of this clock', -5000, '1h'],
  ])('%s, fits the age of the monitor', (_title, age, name) => {
    expect(defaultSpan(now - age, now)).toBe(name);
  });

  test('moves and zooms, but not beyond the present', () => {
    const span = { from: now - 10 * HOUR_MS, to: now - 6 * HOUR_MS };
    expect(movedSpan(span, { zoom: 0.5 }, now)).toEqual({ from: now - 9 * HOUR_MS, to: now - 7 * HOUR_MS });
    expect(movedSpan(span, { by: -0.5 }, now)).toEqual({ from: now - 12 * HOUR_MS, to: now - 8 * HOUR_MS });
    expect(movedSpan(span, { by: 5 }, now)).toEqual({ from: now - 4 * HOUR_MS, to: now });
  });

  test('uses the finest data available', () => {
    const last = (ms: number, interval = 60, regions = 1) => sourceOf({ from: now - ms, to: now }, now, interval, regions);
    expect(last(HOUR_MS)).toEqual({ kind: 'checks' });
    expect(last(DAY_MS)).toEqual({ kind: 'checks' });
    expect(last(DAY_MS, 60, 3)).toEqual({ kind: 'series', period: '24h', stepMs: HOUR_MS });
    expect(last(30 * DAY_MS)).toEqual({ kind: 'series', period: '30d', stepMs: DAY_MS });
    expect(sourceOf({ from: now - 60 * DAY_MS, to: now - 50 * DAY_MS }, now, 60, 1))
      .toEqual({ kind: 'series', period: '90d', stepMs: DAY_MS });
  });
});

describe('pieces in which maintenance is read', () => {
  test('cover the time range without gaps, and stay the same as time passes', () => {
    const to = Date.UTC(2027, 5, 10);
    const pieces = piecesOf({ from: to - 90 * DAY_MS, to });
    expect(pieces[0]?.from).toBeLessThanOrEqual(to - 90 * DAY_MS);
    expect(pieces.at(-1)?.to).toBeGreaterThanOrEqual(to);
    for (const [at, { from, to: end }] of pieces.entries()) {
      expect([from, end - from]).toEqual([pieces[at - 1]?.to ?? from, 45 * DAY_MS]);
    }
    expect(piecesOf({ from: to - 90 * DAY_MS + 1, to: to + 1 })).toEqual(pieces);
  });

  test('are few, whatever the URL requests', () => {
    expect(piecesOf({ from: 1, to: Date.UTC(2027, 5, 1) })).toHaveLength(10);
  });
});

test.each([
  [[5], [0]], [[5, 6, null, 7], [3]], [[5, undefined, 6, null], []], [[null, undefined, 5, undefined, null, 6, 7], [2]], [[], []],
])('a value without a neighbor is drawn as a point (%j)', (values, places) => {
  expect(isolatedPoints(values)).toEqual(places);
});
