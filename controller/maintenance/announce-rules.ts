import type { Occurrence, WindowDoc } from './window.ts';

const DAY_MS = 86_400_000;
/** How long before its start an occurrence is announced. */
const AHEAD_MS = DAY_MS;

type Phase = 'before' | 'start' | 'end';

/** An announcement of one occurrence, due at `at`, Unix ms. */
export interface MaintenanceEvent {
  phase: Phase;
  at: number;
  occurrence: Occurrence;
}

type Announced = Pick<WindowDoc, 'occurrences' | 'status_page_ids' | 'updated_at' | 'announced_until'>;

/**
 * Announcements due by `now`, Unix ms, that were not made yet, in order. Omits outdated ones and ends of more
 * than a day ago.
 */
export function dueEvents(window: Announced, now: number): MaintenanceEvent[] {
  return eventsOf(window).filter(({ at, phase, occurrence: { starts_at, ends_at } }) => {
    if (at <= window.announced_until || at > now) return false;
    if (phase === 'end') return now < ends_at + DAY_MS;
    return now < (phase === 'before' ? starts_at : ends_at);
  });
}

/** When the next announcement is due, Unix ms; null if none is. */
export function nextEventAt(window: Announced): number | null {
  const next = eventsOf(window).find(({ at }) => at > window.announced_until);
  return next?.at ?? null;
}

/** The announced occurrence that has not ended by `now`, Unix ms; null if there is none. */
export function announcedOccurrence(window: Announced, now: number): Occurrence | null {
  const announced = eventsOf(window)
    .find(({ at, occurrence }) => at <= window.announced_until && occurrence.ends_at > now);
  return announced?.occurrence ?? null;
}

/** Starts over when people change the window. Omits phases that are past by then. */
function eventsOf({ occurrences, status_page_ids, updated_at: since }: Announced): MaintenanceEvent[] {
  if (status_page_ids.length === 0) return [];
  return occurrences.flatMap((occurrence): MaintenanceEvent[] => {
    const { starts_at, ends_at } = occurrence;
    if (ends_at <= since) return [];
    const before = Math.max(since, starts_at - AHEAD_MS);
    return [
      ...(before < starts_at ? [{ phase: 'before' as const, at: before, occurrence }] : []),
      { phase: 'start', at: Math.max(since, starts_at), occurrence },
      { phase: 'end', at: ends_at, occurrence },
    ];
  }).sort((one, other) => one.at - other.at);
}
