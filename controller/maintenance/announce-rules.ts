import type { Occurrence, WindowDoc } from './window.ts';

const DAY_MS = 86_400_000;
/** Readers of pages learn of an occurrence this long before it begins. */
const AHEAD_MS = DAY_MS;

type Phase = 'before' | 'start' | 'end';

/** What readers are told of one occurrence, and from when on (Unix ms). */
export interface MaintenanceEvent {
  phase: Phase;
  at: number;
  occurrence: Occurrence;
}

type Announced = Pick<WindowDoc, 'occurrences' | 'status_page_ids' | 'updated_at' | 'announced_until'>;

/**
 * What has to be announced by `now` (Unix ms) and was not, in order. Nothing is announced that has become
 * wrong meanwhile, or whose end was over a day ago.
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

/** The occurrence that readers expect at `now` (Unix ms); null if they were told of none. */
export function announcedOccurrence(window: Announced, now: number): Occurrence | null {
  const announced = eventsOf(window)
    .find(({ at, occurrence }) => at <= window.announced_until && occurrence.ends_at > now);
  return announced?.occurrence ?? null;
}

/** A window that people change is announced anew; the same words are not sent twice. */
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
