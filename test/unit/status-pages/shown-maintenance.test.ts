import { expect, test } from 'vitest';
import { shownMaintenance } from '../../../controller/status-pages/public/maintenance-rules.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** One-hour occurrences that begin in this many hours. */
function windowOf(id: string, ...starts: number[]) {
  const occurrences = starts.map((hours) =>
    ({ starts_at: NOW + hours * HOUR_MS, ends_at: NOW + (hours + 1) * HOUR_MS }));
  return { _id: id, title: id, description: null, monitor_ids: ['shop', 'hidden'], occurrences };
}

const NAMES = new Map([['shop', 'Shop'], ['api', 'API']]);

test('shows current maintenance and that of the next two weeks, soonest first', () => {
  const shown = shownMaintenance([
    windowOf('later', 30), windowOf('now', -0.5), windowOf('over', -1), windowOf('far', 14 * 24),
  ], NAMES, NOW);
  expect(shown.map(({ id, starts_at }) => [id, starts_at])).toEqual([
    ['now', '2026-11-22T11:30:00.000Z'], ['later', '2026-11-23T18:00:00.000Z'],
  ]);
});

test('does not name components that the page does not show', () => {
  expect(shownMaintenance([windowOf('now', 0)], NAMES, NOW)[0]?.affected).toEqual(['Shop']);
});

test('limits the occurrences of a daily window and the number of windows', () => {
  const daily = windowOf('daily', ...Array.from({ length: 9 }, (_, day) => (day * DAY_MS) / HOUR_MS));
  expect(shownMaintenance([daily], NAMES, NOW)).toHaveLength(3);
  const many = Array.from({ length: 200 }, (_, at) => windowOf(`w${at}`, at));
  expect(shownMaintenance(many, NAMES, NOW)).toHaveLength(20);
});
