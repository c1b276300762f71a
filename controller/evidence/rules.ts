import { grouped } from '../../shared/grouped.ts';
import { MAX_AHEAD_MS } from '../verdicts/monitor-rules.ts';

/** Limit of stored evidence per monitor. */
export const MAX_PER_MONITOR = 50;

/** Why evidence of a known probe is not stored. */
type EvidenceRefusal = 'unknown_monitor' | 'not_assigned' | 'future' | 'too_old';

/**
 * The outcome of evidence. `dropped`: the queue was full. `unwritable`: the database rejects it permanently.
 */
export type EvidenceOutcome =
  'kept' | 'dropped' | 'unwritable' | 'unreadable' | 'unknown_probe' | EvidenceRefusal;

interface EvidenceFacts {
  /** Unix ms, corrected for the probe's clock skew. */
  checkedAt: number;
  /** When it arrived, Unix ms. */
  at: number;
  /** Undefined if no monitor has that id. */
  monitor: { deleted_at: number | null } | undefined;
  /** Whether its probe has the monitor. */
  isAssigned: boolean;
  /** How long the most generous plan keeps incidents, ms. */
  retentionMs: number;
}

/** Why the evidence is not stored; null if it is. */
export function refusalOf(facts: EvidenceFacts): EvidenceRefusal | null {
  const { checkedAt, at, monitor, isAssigned, retentionMs } = facts;
  if (monitor?.deleted_at !== null) return 'unknown_monitor';
  if (!isAssigned) return 'not_assigned';
  if (checkedAt > at + MAX_AHEAD_MS) return 'future';
  return checkedAt < at - retentionMs ? 'too_old' : null;
}

/** The fields that decide whether a document is retained. */
export interface EvidenceCandidate {
  _id: string;
  region: string;
  checked_at: number;
  series: string;
}

/**
 * The ids beyond `limit`. Regions take turns, so that no region displaces another. Each region keeps, in
 * turn, its newest and the first of a series: the start of a long outage stays.
 */
export function excessOf(candidates: readonly EvidenceCandidate[], limit: number): string[] {
  const regions = grouped([...candidates].sort(newestFirst), ({ region }) => region);
  const turns = [...regions.values()].flatMap((ofRegion) =>
    bestFirst(ofRegion).map((candidate, turn) => ({ turn, candidate })));
  turns.sort((one, other) => one.turn - other.turn || newestFirst(one.candidate, other.candidate));
  return turns.slice(limit).map(({ candidate }) => candidate._id);
}

/** Orders a region's evidence by retention priority, alternating newest and first of a series. */
function bestFirst(candidates: EvidenceCandidate[]): EvidenceCandidate[] {
  const oldest = new Map(candidates.map((candidate) => [candidate.series, candidate]));
  const seriesStarts = candidates.filter((candidate) => oldest.get(candidate.series) === candidate);
  const inTurn = candidates.flatMap((candidate, index) => [candidate, seriesStarts[index] ?? candidate]);
  return [...new Set(inTurn)];
}

function newestFirst(one: EvidenceCandidate, other: EvidenceCandidate): number {
  return other.checked_at - one.checked_at || (one._id < other._id ? 1 : -1);
}

/** The incident whose evidence is requested. Timestamps are Unix ms. */
interface Outage {
  started_at: number;
  resolved_at: number | null;
}

/**
 * The time range (Unix ms, inclusive) of an incident's evidence. It begins one interval before the incident,
 * because other regions may have begun to fail earlier, and ends when the incident was resolved.
 */
export function spanOf({ started_at, resolved_at }: Outage, intervalMs: number, now: number) {
  return { from: started_at - intervalMs, to: Math.max(started_at, resolved_at ?? now) };
}
