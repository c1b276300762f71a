import { grouped } from '../../../../shared/grouped.ts';
import type { PageDoc } from '../../page.ts';
import type { PublicPageView, PublicPost } from '../public-view.ts';

const DAY_MS = 86_400_000;
/** Recent days without incidents are listed one by one; earlier ones are merged. */
const SINGLE_DAYS = 7;

/**
 * A day with its posts, or consecutive days without any. Days are in the page's time zone, given as midnight
 * UTC.
 */
export interface DayGroup {
  first: number;
  last: number;
  posts: PublicPost[];
}

/**
 * The days whose incidents a page shows, today first. Leaves out days before the page was created. `dayOf`
 * returns the day in the page's time zone that contains an instant.
 */
export function groupPostsByDay(
  { incidents, as_of }: Pick<PublicPageView, 'incidents' | 'as_of'>,
  { incident_history_days: historyDays, created_at }: Pick<PageDoc, 'incident_history_days' | 'created_at'>,
  dayOf: (instant: number) => number,
): DayGroup[] {
  const today = dayOf(Date.parse(as_of));
  const byDay = grouped(incidents, (post) => dayOf(Date.parse(post.published_at)));
  // The oldest day is incomplete, because the history starts within it: it counts only with a post.
  const first = Math.max(today - (historyDays - 1) * DAY_MS, Math.min(today, dayOf(created_at)));
  for (let day = first; day <= today; day += DAY_MS) if (!byDay.has(day)) byDay.set(day, []);
  const groups: DayGroup[] = [];
  for (const [day, posts] of [...byDay].sort(([one], [other]) => other - one)) {
    const newer = groups.at(-1);
    const isSingle = posts.length > 0 || day > today - SINGLE_DAYS * DAY_MS;
    const isJoined = !isSingle && newer?.posts.length === 0 && newer.last <= today - SINGLE_DAYS * DAY_MS;
    if (isJoined) newer.first = day;
    else groups.push({ first: day, last: day, posts });
  }
  return groups;
}
