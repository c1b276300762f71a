import { MAX_AHEAD_MS } from '../verdicts/monitor-rules.ts';

/** What is kept of each monitor, at most. */
export const MAX_PER_MONITOR = 50;

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
  retentionMs: number;
}

/** Why the evidence is not kept; null if it is. */
export function refusalOf(facts: EvidenceFacts): EvidenceRefusal | null {
  const { checkedAt, at, monitor, isAssigned, retentionMs } = facts;
  if (monitor?.deleted_at !== null) return 'unknown_monitor';
  if (!isAssigned) return 'not_assigned';
  if (checkedAt > at + MAX_AHEAD_MS) return 'future';
  return checkedAt < at - retentionMs ? 'too_old' : null;
}

/** What decides whether a document stays among those of its monitor. */
export interface EvidenceCandidate {
  _id: string;
  region: string;
  checked_at: number;
  series: string;
}

/**
 * The ids of what is beyond `most`. Regions take turns, so that none pushes out the others, however often it
 * fails. Each keeps in turn its newest and what begins a series: how a long outage began is not forgotten.
 */
export function excessOf(candidates: readonly EvidenceCandidate[], limit: number): string[] {
  const regions = new Map<string, EvidenceCandidate[]>();
  for (const candidate of [...candidates].sort(newestFirst)) {
    regions.set(candidate.region, [...(regions.get(candidate.region) ?? []), candidate]);
  }
  const turns = [...regions.values()].flatMap((ofRegion) =>
    bestFirst(ofRegion).map((candidate, turn) => ({ turn, candidate })));
  turns.sort((one, other) => one.turn - other.turn || newestFirst(one.candidate, other.candidate));
  return turns.slice(limit).map(({ candidate }) => candidate._id);
}

/** Takes a region's places newest first. */
function bestFirst(candidates: EvidenceCandidate[]): EvidenceCandidate[] {
  const oldest = new Map(candidates.map((candidate) => [candidate.series, candidate]));
  const seriesStarts = candidates.filter((candidate) => oldest.get(candidate.series) === candidate);
  const inTurn = candidates.flatMap((candidate, index) => [candidate, seriesStarts[index] ?? candidate]);
  return [...new Set(inTurn)];
}

function newestFirst(one: EvidenceCandidate, other: EvidenceCandidate): number {
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
