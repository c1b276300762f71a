import type { PageDoc } from '../page.ts';
import type { PostDoc } from '../posts/post.ts';
import type { OverallState, PublicComponent, PublicPageView } from './public-view.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HOURS = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24, '90d': 90 * 24 } as const;

/** Days of uptime that a page shows, today included. */
export const SHOWN_DAYS = 90;

/** The first day that a page shows: its start in UTC, Unix ms. */
export function firstDay(now: number): number {
  return now - (now % DAY_MS) - (SHOWN_DAYS - 1) * DAY_MS;
}

/** Hours of today (UTC) before the current one. */
export function hoursOfToday(now: number): number {
  return Math.floor((now % DAY_MS) / HOUR_MS);
}

/** Percent with two decimals, rounded down: 100 only if nothing failed. */
export function floorPercent(uptime: number | null): number | null {
  return uptime === null ? null : Math.floor(uptime * 100) / 100;
}

export type DayState = 'operational' | 'degraded' | 'down' | 'unknown';

/** The state of a day with this uptime. */
export function dayState(uptime: number | null, thresholds: PageDoc['uptime_thresholds']): DayState {
  if (uptime === null) return 'unknown';
  if (uptime >= thresholds.operational) return 'operational';
  return uptime >= thresholds.degraded ? 'degraded' : 'down';
}

/** The hours of each time frame that a page shows; the last day comes first. */
export function framesOf({ uptime_timeframes: shown }: Pick<PageDoc, 'uptime_timeframes'>) {
  const frames = (Object.keys(HOURS) as (keyof typeof HOURS)[]).filter((name) => shown.includes(name));
  return { frames, hours: [HOURS['24h'], ...frames.map((name) => HOURS[name])] };
}

/** The uptime of the longest time frame that has one; null if none has or the page shows no uptime. */
export function headlineUptime(
  uptime: PublicComponent['uptime'],
): { frame: keyof typeof HOURS; percent: number } | null {
  for (const frame of ['90d', '30d', '7d', '24h'] as const) {
    const percent = uptime?.[frame] ?? null;
    if (percent !== null) return { frame, percent };
  }
  return null;
}

/** Summarizes the components' states. Components that are paused or without data don't affect it. */
export function overallState(components: readonly Pick<PublicComponent, 'status'>[]): OverallState {
  const states = components.map(({ status }) => status);
  const measured = states.filter((status) => status === 'up' || status === 'degraded' || status === 'down');
  const baseState = states.includes('maintenance') ? 'maintenance' : measured.length === 0 ? 'unknown' : 'operational';
  if (measured.length === 0) return baseState;
  if (measured.every((status) => status === 'down')) return 'major_outage';
  if (measured.includes('down')) return 'partial_outage';
  return measured.includes('degraded') ? 'degraded' : baseState;
}

/**
 * The state of a page. While no component is down or degraded, an open post makes it degraded, and otherwise
 * current maintenance makes it `maintenance`.
 */
export function pageState(
  { components, incidents, maintenance, as_of }: Pick<PublicPageView, 'components' | 'incidents' | 'maintenance' | 'as_of'>,
): OverallState {
  const state = overallState(components);
  if (state !== 'operational' && state !== 'maintenance') return state;
  if (incidents.some(({ status }) => status !== 'resolved')) return 'degraded';
  return maintenance.some(({ starts_at }) => starts_at <= as_of) ? 'maintenance' : state;
}

/** Whether readers still see a post: open posts always, resolved ones for the page's days of history. */
export function isShown(
  post: Pick<PostDoc, 'status' | 'published_at'>, page: Pick<PageDoc, 'incident_history_days'>, now: number,
): boolean {
  return post.status !== 'resolved' || post.published_at >= now - page.incident_history_days * DAY_MS;
}
