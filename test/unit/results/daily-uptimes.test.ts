import { expect, test } from 'vitest';
import { emptyRollup } from '../../../controller/results/hours/rollup.ts';
import { DailyUptimes } from '../../../controller/results/reading/daily-uptimes.ts';
import type { UnwrittenMonitor } from '../../../controller/results/reading/recent/unwritten-monitor.ts';
import type { TotalsReader } from '../../../controller/results/reading/written/written-totals.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TODAY = Date.parse('2026-11-22T00:00:00Z');

function totals(up: number, down: number) {
  return { ...emptyRollup(), times: [up, 0, down] as [number, number, number] };
}

/** Owners that have these unwritten hours of monitor `a`. */
function owners(...hours: Pick<UnwrittenMonitor['hours'][number], 'hour' | 'times'>[]) {
  const monitors = new Map([['a', { monitor_id: 'a', hours } as UnwrittenMonitor]]);
  return { read: async () => ({ monitors, recent: [] }) };
}

/** Monitor `a` has a daily rollup three days ago, and yesterday in hours only. */
function rig() {
  const clock = new SimulatedClock(TODAY + 5 * HOUR_MS);
  const requested: number[] = [];
  const written = { up: 3 };
  const rollups: TotalsReader = {
    dayTotals: async (keys) => {
      requested.push(keys.length);
      return keys.filter(({ monitor_id: id, day }) => id === 'a' && day === TODAY - 3 * DAY_MS)
        .map((key) => ({ totals: totals(written.up, 1), ...key }));
    },
    hourTotals: async (keys) => keys
      .filter(({ monitor_id: id, hour }) => id === 'a' && [0, 1].includes((hour - TODAY + DAY_MS) / HOUR_MS))
      .map((key) => ({ position: 1, totals: totals(1, key.hour % DAY_MS === 0 ? 1 : 0), ...key })),
  };
  const days = new DailyUptimes({ clock, rollups, unwritten: owners() }, 'evict the oldest');
  return { clock, requested, written, days, rollups };
}

test('a day without a daily rollup is summed from its hours, and days without data are null', async () => {
  const { days } = rig();
  const found = await days.of(['a', 'b'], 3, true);
  expect(found.get('a')).toEqual([75, null, (2 / 3) * 100]);
  expect(found.get('b')).toEqual([null, null, null]);
});

test('a day counts the hours that their owner has not written yet', async () => {
  const { clock, rollups } = rig();
  const hour = (at: number) => ({ hour: at, times: [2, 0, 4] as [number, number, number] });
  const unwritten = owners(
    // In a day with a rollup; written meanwhile; only with its owner; today.
    hour(TODAY - 3 * DAY_MS), hour(TODAY - DAY_MS), hour(TODAY - HOUR_MS), hour(TODAY),
  );
  const days = new DailyUptimes({ clock, rollups, unwritten }, 'evict the oldest');
  expect((await days.of(['a'], 3, true)).get('a')).toEqual([50, null, (4 / 9) * 100]);
});

test('daily uptimes can include or exclude maintenance', async () => {
  const maintenance = { accounted: [0, 0, 0], times: [0, 0, 1] } as ReturnType<typeof emptyRollup>['maintenance'];
  const rollups: TotalsReader = {
    dayTotals: async (keys) => keys.map((key) => ({ ...key, totals: { ...totals(3, 1), maintenance } })),
    hourTotals: async () => [],
  };
  const clock = new SimulatedClock(TODAY);
  const days = new DailyUptimes({ clock, rollups, unwritten: owners() }, 'evict the oldest');
  expect((await days.of(['a'], 2, true)).get('a')).toEqual([75, 75]);
  expect((await days.of(['a'], 2, false)).get('a')).toEqual([100, 100]);
});

test('past days are read again after ten minutes, and when a day ends', async () => {
  const { clock, requested, written, days } = rig();
  await days.of(['a', 'b'], 3, true);
  written.up = 9;
  await clock.advance(599_999);
  expect((await days.of(['a'], 3, true)).get('a')?.[0]).toBe(75);
  expect(requested).toEqual([6]);
  await clock.advance(1);
  expect((await days.of(['a'], 3, true)).get('a')?.[0]).toBe(90);
  await clock.advance(19 * HOUR_MS);
  expect((await days.of(['a'], 3, true)).get('a')).toEqual([null, null, null]);
});

test('a query requests at most 50 monitors', async () => {
  const { requested, days } = rig();
  await days.of(Array.from({ length: 120 }, (_, index) => `monitor-${index}`), 2, true);
  expect(requested).toEqual([100, 100, 40]);
});
