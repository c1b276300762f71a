import type { PageDoc } from '../page.ts';
import type { PostDoc } from '../posts/post.ts';
import type { OverallState, PublicComponent } from './public-view.ts';

const DAY_MS = 86_400_000;
const HOURS = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24, '90d': 90 * 24 } as const;

/** The hours of each time frame that a page shows, and of the last day, which comes first. */
export function framesOf({ uptime_timeframes: shown }: Pick<PageDoc, 'uptime_timeframes'>) {
  const frames = (Object.keys(HOURS) as (keyof typeof HOURS)[]).filter((name) => shown.includes(name));
  return { frames, hours: [HOURS['24h'], ...frames.map((name) => HOURS[name])] };
}

/**
 * What a reader wants to know first. Monitors that are paused or in maintenance say nothing; without any that
 * says something, the state is unknown.
 */
export function overallState(components: readonly Pick<PublicComponent, 'status'>[]): OverallState {
  const states = components.map(({ status }) => status);
  const known = states.filter((status) => status === 'up' || status === 'degraded' || status === 'down');
  if (known.length === 0) return 'unknown';
  if (known.every((status) => status === 'down')) return 'major_outage';
  if (known.includes('down')) return 'partial_outage';
  return known.includes('degraded') ? 'degraded' : 'operational';
}

/** Whether readers still see a post: an open one always, a resolved one for the page's days of history. */
export function isShown(
  post: Pick<PostDoc, 'status' | 'published_at'>, page: Pick<PageDoc, 'incident_history_days'>, now: number,
): boolean {
  return post.status !== 'resolved' || post.published_at >= now - page.incident_history_days * DAY_MS;
}
