import { isoTime } from '../../../shared/time.ts';
import type { ToldWindow } from '../deps.ts';
import type { PublicMaintenance } from './public-view.ts';

const SHOWN_AHEAD_MS = 14 * 86_400_000;
/** Of one window, and of all of a page's. */
const MOST_OF_WINDOW = 3;
const MOST_SHOWN = 20;

/**
 * The maintenance that readers should know of: what is under way, and what begins within two weeks, soonest
 * first. `names` has the components that the page shows; others are not named.
 */
export function shownMaintenance(
  windows: readonly ToldWindow[], names: ReadonlyMap<string, string>, now: number,
): PublicMaintenance[] {
  const shown = windows.flatMap(({ _id: id, title, description, monitor_ids, occurrences }) => {
    const affected = monitor_ids.flatMap((monitorId) => names.get(monitorId) ?? []);
    const coming = occurrences
      .filter(({ starts_at, ends_at }) => ends_at > now && starts_at < now + SHOWN_AHEAD_MS);
    return coming.slice(0, MOST_OF_WINDOW).map(({ starts_at, ends_at }) =>
      ({ id, title, description, affected, starts_at, ends_at }));
  });
  return shown.sort((one, other) => one.starts_at - other.starts_at).slice(0, MOST_SHOWN)
    .map((each) => ({ ...each, starts_at: isoTime(each.starts_at), ends_at: isoTime(each.ends_at) }));
}
