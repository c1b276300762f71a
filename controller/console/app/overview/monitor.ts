import type { paths } from '../api/openapi.d.ts';
import type { ShownState } from '../ui/shown-state.ts';

type Page = paths['/api/monitors/overview']['get']['responses']['200']['content']['application/json']['data'];
type OverviewMonitor = Page['monitors'][number];

/** A monitor of the list, changed in place by live events. */
export interface Monitor extends Omit<OverviewMonitor, 'hours' | 'days' | 'response_times' | 'uptime_24h' | 'uptime_30d' | 'uptime_90d'> {
  /** Incremented with each change, so that only changed rows are redrawn. */
  revision: number;
  /** Its rank among all names. */
  nameRank: number;
  /** Text that the search matches. */
  searchText: string;
}

/** Worst first. */
export const STATE_ORDER: readonly ShownState[] = ['down', 'degraded', 'unknown', 'maintenance', 'up', 'paused'];

export function toMonitor(source: OverviewMonitor): Monitor {
  const { hours: _hours, days: _days, response_times: _times, uptime_24h: _24h, uptime_30d: _30d, uptime_90d: _90d, ...rest } = source;
  // A heartbeat's target is its secret URL.
  const target = source.type === 'HEARTBEAT' ? '' : source.target;
  const searchText = [source.name, target, ...source.tags].join('\n').toLowerCase();
  return { ...rest, revision: 0, nameRank: 0, searchText };
}

/** Ranks names in natural order: `web 2` before `web 10`. */
export function rankNames(monitors: Iterable<Monitor>, language: string): void {
  const { compare } = new Intl.Collator(language, { numeric: true });
  const sorted = [...monitors].sort((one, other) => compare(one.name, other.name));
  for (const [at, monitor] of sorted.entries()) monitor.nameRank = at;
}
