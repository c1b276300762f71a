import { OUTCOMES, REASONS } from '../../../shared/contracts/result.ts';
import type { StoredResult } from './stored-result.ts';

/**
 * A byte that describes a result, the same in memory and in blocks: outcome (2 bits), degraded, late, reason
 * (2 bits), has a response time.
 */
const OUTCOME = 3;
export const DEGRADED = 1 << 2;
export const LATE = 1 << 3;
export const HAS_TIME = 1 << 6;
/** Set in a timings mask if there are timings. The bits below it are the phases, in order. */
export const HAS_TIMINGS = 1 << 5;

type Outcome = StoredResult['outcome'];
type Flagged = Pick<StoredResult, 'outcome' | 'degraded' | 'reason' | 'response_time_ms'>;

export function flagsOf(result: Flagged, late: boolean): number {
  return OUTCOMES.indexOf(result.outcome) | (result.degraded ? DEGRADED : 0) | (late ? LATE : 0)
    | (REASONS.indexOf(result.reason) << 4) | (result.response_time_ms === null ? 0 : HAS_TIME);
}

export function outcomeOf(flags: number): Outcome {
  return OUTCOMES[flags & OUTCOME] as Outcome;
}

export function reasonOf(flags: number): StoredResult['reason'] {
  return REASONS[(flags >> 4) & 3] as StoredResult['reason'];
}

/** The column of HourTimes that a result counts in. */
export function timesColumn(outcome: Outcome, degraded: boolean): 0 | 1 | 2 {
  if (outcome === 'failure') return 2;
  return degraded ? 1 : 0;
}

/** True for a late result that represents its slot, unlike a recheck. */
export function isFilling(flags: number): boolean {
  return (flags & LATE) !== 0 && reasonOf(flags) === 'schedule' && outcomeOf(flags) !== 'missed';
}

/** Durations are stored in tenths of a ms. */
export function tenths(ms: number): number {
  return Math.round(ms * 10);
}

/** Parts that few results have, stored as JSON. */
export type RareParts = Partial<Pick<StoredResult, 'error' | 'missed'>>;

/** Null if the result has no such parts. */
export function rarePartsOf({ error, missed }: Pick<StoredResult, 'error' | 'missed'>): RareParts | null {
  return error || missed ? { ...(error ? { error } : {}), ...(missed ? { missed } : {}) } : null;
}

/** The origin of a result. Late results that arrived together share a source of their own. */
export type Source = Pick<StoredResult, 'region' | 'probe_id' | 'received'>;

/** Limit of sources per hour. Beyond it, a late result is stored without its time of arrival. */
const MAX_SOURCES = 256;

/** The number of a source, which is added if it is new. */
export function sourceNumber(sources: Source[], { region, probe_id, received }: Source): number {
  for (let number = 0; number < sources.length; number += 1) {
    const existing = sources[number];
    const isSameProbe = existing?.region === region && existing.probe_id === probe_id;
    if (isSameProbe && isSame(existing.received, received)) return number;
  }
  if (received && sources.length >= MAX_SOURCES) return sourceNumber(sources, { region, probe_id });
  return sources.push({ region, probe_id, received }) - 1;
}

function isSame(one: Source['received'], other: Source['received']): boolean {
  return one === other || (one?.at === other?.at && one?.epoch === other?.epoch);
}

/** Counts of an hour or a day. */
export interface Counts {
  total: number;
  failed: number;
  missed: number;
  /** Response times of successful checks, tenths of a ms. */
  time_sum: number;
  time_count: number;
}

export function noCounts(): Counts {
  return { total: 0, failed: 0, missed: 0, time_sum: 0, time_count: 0 };
}

/** Counts a result. `time` is in tenths of a ms. A missed result counts for `slots` slots. */
export function countResult(counts: Counts, outcome: Outcome, time: number | null, slots: number): void {
  if (outcome === 'missed') counts.missed += slots;
  else counts.total += 1;
  if (outcome === 'failure') counts.failed += 1;
  if (outcome !== 'success' || time === null) return;
  counts.time_sum += time;
  counts.time_count += 1;
}
