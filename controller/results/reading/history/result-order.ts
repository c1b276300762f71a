import type { StoredResult } from '../../hours/stored-result.ts';

type Place = Pick<StoredResult, 'started_at' | 'region' | 'probe_id' | 'scheduled_at' | 'attempt' | 'reason'>;

/** Newest first; equal starts by region, probe, slot and attempt. Zero only for the same result. */
export function compareResults(one: Place, other: Place): number {
  return (
    other.started_at - one.started_at
    || compareTexts(one.region, other.region) || compareTexts(one.probe_id, other.probe_id)
    || one.scheduled_at - other.scheduled_at || one.attempt - other.attempt
    || compareTexts(one.reason, other.reason)
  );
}

/** The sorted union of both, without duplicates. */
export function uniteResults(one: StoredResult[], other: StoredResult[]): StoredResult[] {
  const all = [...one, ...other].sort(compareResults);
  return all.filter((row, at) => at === 0 || compareResults(all[at - 1] as StoredResult, row) !== 0);
}

/** A result's position as a cursor. */
export function cursorOf(row: Place): string {
  const { started_at, region, probe_id, scheduled_at, attempt, reason } = row;
  const parts = [started_at, region, probe_id, scheduled_at, attempt, reason];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Null if the text is not a cursor. */
export function placeOf(cursor: string): Place | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!Array.isArray(parts) || parts.length !== 6) return null;
    const [started_at, region, probe_id, scheduled_at, attempt, reason] = parts as unknown[];
    if (![started_at, scheduled_at, attempt].every((value) => Number.isSafeInteger(value))) return null;
    if (![region, probe_id, reason].every((value) => typeof value === 'string')) return null;
    return { started_at, region, probe_id, scheduled_at, attempt, reason } as Place;
  } catch {
    return null;
  }
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
