import type { MaintenanceRange } from '../verdicts/monitor-config.ts';
import { nextEventAt } from './announce-rules.ts';
import { occurrencesFrom, type Schedule } from './recurrence.ts';
import type { Occurrence, WindowDoc } from './window.ts';

const DAY_MS = 86_400_000;
/** Monitor configurations contain the occurrences of this time ahead. */
const HORIZON_MS = 9 * DAY_MS;
/** Occurrences are planned again this long before the horizon, so about once a week. */
const MARGIN_MS = 2 * DAY_MS;

export type Plan = Pick<WindowDoc, 'occurrences' | 'plan_at'>;

/**
 * The current occurrence and those within the horizon; at least one unless all have ended. `now` is Unix ms.
 */
export function planOccurrences(schedule: Schedule, now: number): Plan {
  const occurrences: Occurrence[] = [];
  const horizon = now + HORIZON_MS;
  for (const occurrence of occurrencesFrom(schedule, now)) {
    const last = occurrences.at(-1);
    if (last !== undefined && occurrence.starts_at > horizon) {
      return { occurrences, plan_at: Math.max(horizon, last.starts_at) - MARGIN_MS };
    }
    occurrences.push(occurrence);
  }
  return { occurrences, plan_at: null };
}

/** When the window must be processed next, Unix ms; null if never. */
export function dueAt(window: WindowDoc, now: number): number | null {
  const { outdated_monitor_ids, plan_at, deleted_at } = window;
  if (outdated_monitor_ids.length > 0 || deleted_at !== null) return now;
  const next = Math.min(plan_at ?? Infinity, nextEventAt(window) ?? Infinity);
  return next === Infinity ? null : next;
}

/** The occurrence in progress, or else the next one; null if all have ended. */
export function currentOrNext({ occurrences }: Plan, now: number): Occurrence | null {
  return occurrences.find(({ ends_at }) => ends_at > now) ?? null;
}

/** The windows in a monitor's configuration: occurrences that have not ended, by start. */
export function maintenanceRangesOf(
  windows: readonly Pick<WindowDoc, 'occurrences' | 'suppress_alerts'>[], now: number,
): MaintenanceRange[] {
  return windows.flatMap(({ occurrences, suppress_alerts: holds_alerts }) =>
    occurrences.map(({ starts_at: from, ends_at: until }) => ({ from, until, holds_alerts })))
    .filter(({ until }) => until > now)
    .sort((one, other) => one.from - other.from || one.until - other.until);
}
