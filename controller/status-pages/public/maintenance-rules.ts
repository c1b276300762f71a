import { isoTime } from '../../../shared/time.ts';
import type { PageWindow } from '../deps.ts';
import type { PublicMaintenance } from './public-view.ts';

const SHOWN_AHEAD_MS = 14 * 86_400_000;
/** Limits per window and per page. */
const MAX_OCCURRENCES = 3;
const MAX_SHOWN = 20;

/**
 * Current maintenance and maintenance within two weeks, soonest first. `names` maps the page's monitors to
 * their shown names; others are left out.
 */
export function shownMaintenance(
  windows: readonly PageWindow[], names: ReadonlyMap<string, string>, now: number,
): PublicMaintenance[] {
  const shown = windows.flatMap(({ _id: id, title, description, monitor_ids, occurrences }) => {
    const affected = monitor_ids.flatMap((monitorId) => names.get(monitorId) ?? []);
    const upcoming = occurrences
      .filter(({ starts_at, ends_at }) => ends_at > now && starts_at < now + SHOWN_AHEAD_MS);
    return upcoming.slice(0, MAX_OCCURRENCES).map(({ starts_at, ends_at }) =>
      ({ id, title, description, affected, starts_at, ends_at }));
  });
  return shown.sort((one, other) => one.starts_at - other.starts_at).slice(0, MAX_SHOWN)
    .map((occurrence) => ({
      ...occurrence, starts_at: isoTime(occurrence.starts_at), ends_at: isoTime(occurrence.ends_at),
    }));
}
