import { AHEAD_MS } from '../verdicts/monitor-rules.ts';

/** What is kept of each monitor, at most. */
export const MOST_OF_MONITOR = 50;

/** Why the evidence of a known probe is not kept. */
type EvidenceRefusal = 'unknown_monitor' | 'not_assigned' | 'future' | 'too_old';

/** What became of evidence. `dropped`: too much waited. `unwritable`: the database refuses it for good. */
export type EvidenceOutcome =
  'kept' | 'dropped' | 'unwritable' | 'unreadable' | 'unknown_probe' | EvidenceRefusal;

interface EvidenceFacts {
  /** Unix ms, with the probe's clock corrected. */
  checkedAt: number;
  /** When it came, Unix ms. */
  at: number;
  /** Undefined if there is none of that id. */
  monitor: { deleted_at: number | null } | undefined;
  /** Whether its probe has the monitor. */
  isAssigned: boolean;
  /** How long the most generous plan keeps incidents, ms. */
  keptMs: number;
}

/** Why the evidence is not kept; null if it is. */
export function refusalOf(facts: EvidenceFacts): EvidenceRefusal | null {
  const { checkedAt, at, monitor, isAssigned, keptMs } = facts;
  if (monitor?.deleted_at !== null) return 'unknown_monitor';
  if (!isAssigned) return 'not_assigned';
  if (checkedAt > at + AHEAD_MS) return 'future';
  return checkedAt < at - keptMs ? 'too_old' : null;
}

/** What decides whether a document stays among those of its monitor. */
export interface EvidencePlace {
  _id: string;
  region: string;
  checked_at: number;
  series: string;
}

/**
 * The ids of what is beyond `most`. Regions take turns, so that none pushes out the others, however often it
 * fails. Each keeps in turn its newest and what begins a series: how a long outage began is not forgotten.
 */
export function excessOf(places: readonly EvidencePlace[], most: number): string[] {
  const regions = new Map<string, EvidencePlace[]>();
  for (const place of [...places].sort(newestFirst)) {
    regions.set(place.region, [...(regions.get(place.region) ?? []), place]);
  }
  const turns = [...regions.values()].flatMap((ofRegion) =>
    bestFirst(ofRegion).map((place, turn) => ({ turn, place })));
  turns.sort((one, other) => one.turn - other.turn || newestFirst(one.place, other.place));
  return turns.slice(most).map(({ place }) => place._id);
}

/** Takes a region's places newest first. */
function bestFirst(places: EvidencePlace[]): EvidencePlace[] {
  const oldest = new Map(places.map((place) => [place.series, place]));
  const beginnings = places.filter((place) => oldest.get(place.series) === place);
  return [...new Set(places.flatMap((place, index) => [place, beginnings[index] ?? place]))];
}

function newestFirst(one: EvidencePlace, other: EvidencePlace): number {
  return other.checked_at - one.checked_at || (one._id < other._id ? 1 : -1);
}

/** The incident whose evidence is asked for. Instants are Unix ms. */
interface Outage {
  started_at: number;
  resolved_at: number | null;
}

/**
 * The time (Unix ms, both ends included) whose evidence belongs to an incident: from one interval of the
 * monitor before its start, since other regions may have begun to fail before the one that dates it, until it
 * was resolved.
 */
export function spanOf({ started_at, resolved_at }: Outage, intervalMs: number, now: number) {
  return { from: started_at - intervalMs, to: Math.max(started_at, resolved_at ?? now) };
}
