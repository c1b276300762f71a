import { expect, test } from 'vitest';
import { pageLocale } from '../../../controller/status-pages/public/languages/language.ts';
import { groupPostsByDay } from '../../../controller/status-pages/public/html/posts-by-day.ts';
import type { PublicPost } from '../../../controller/status-pages/public/public-view.ts';

const DAY_MS = 86_400_000;
const dayOf = (zone: string) => pageLocale('en', zone).dayOf;

function post(title: string, published_at: string): PublicPost {
  return {
    id: title, title, message: '', severity: 'major', status: 'resolved', affected: [], published_at,
    resolved_at: published_at, updates: [],
  };
}

/** Each entry as its days (`MM-DD`) and the titles of its incidents. */
function listed(
  posts: PublicPost[], { zone = 'UTC', days = 3, created = '2026-01-01T00:00:00Z', at = '2026-11-22T12:00:00Z' } = {},
): string[] {
  const page = { incident_history_days: days, created_at: Date.parse(created) };
  const short = (day: number) => new Date(day).toISOString().slice(5, 10);
  return groupPostsByDay({ incidents: posts, as_of: at }, page, dayOf(zone)).map(({ first, last, posts: found }) =>
    [short(first), ...(first === last ? [] : [short(last)]), ...found.map(({ title }) => title)].join(' '));
}

test('lists each day of the history, today first, with the incidents that began on it', () => {
  const posts = [
    post('late', '2026-11-21T20:00:00.000Z'), post('early', '2026-11-21T01:00:00.000Z'),
    post('first', '2026-11-20T00:00:00.000Z'),
  ];
  expect(listed(posts)).toEqual(['11-22', '11-21 late early', '11-20 first']);
});

test('days begin at midnight in the page\'s time zone', () => {
  const posts = [post('a', '2026-11-21T16:00:00.000Z')];
  expect(listed(posts, { zone: 'Asia/Tokyo' })).toEqual(['11-22 a', '11-21', '11-20']);
  expect(listed(posts, { zone: 'America/New_York' })).toEqual(['11-22', '11-21 a', '11-20']);
  expect(listed([], { zone: 'Asia/Tokyo', at: '2026-11-22T15:00:00Z', days: 1 })).toEqual(['11-23']);
});

test('lists the day in which the history begins only with an incident', () => {
  expect(listed([post('a', '2026-11-19T13:00:00.000Z')])).toEqual(['11-22', '11-21', '11-20', '11-19 a']);
});

test('leaves out days before the page was created', () => {
  expect(listed([], { created: '2026-11-21T23:00:00Z' })).toEqual(['11-22', '11-21']);
  expect(listed([], { created: '2026-11-22T11:59:00Z' })).toEqual(['11-22']);
});

test('merges days without incidents once they are a week old', () => {
  const posts = [post('a', '2026-11-10T12:00:00.000Z')];
  expect(listed(posts, { days: 30 })).toEqual([
    '11-22', '11-21', '11-20', '11-19', '11-18', '11-17', '11-16', '11-11 11-15', '11-10 a', '10-24 11-09',
  ]);
  expect(listed([], { days: 365 })).toHaveLength(8);
});

test('a change to daylight saving time neither repeats nor skips a day', () => {
  const shown = listed([], { zone: 'Europe/Berlin', days: 5, at: '2026-10-26T23:30:00Z' });
  expect(shown).toEqual(['10-27', '10-26', '10-25', '10-24', '10-23']);
  expect(dayOf('Europe/Berlin')(Date.parse('2026-03-29T22:00:00Z')) % DAY_MS).toBe(0);
});
