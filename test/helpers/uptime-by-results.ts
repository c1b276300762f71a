import type { CheckResult } from '../../shared/contracts/result.ts';

/** Columns of an hour's times. */
export const [UP, DEGRADED, DOWN] = [0, 1, 2] as const;

/** A time range with one status, Unix ms. */
export interface Span {
  from: number;
  until: number;
  column: typeof UP | typeof DEGRADED | typeof DOWN;
}

type Row = Pick<CheckResult, 'started_at' | 'outcome' | 'degraded' | 'reason'>;

interface Policy {
  retries: number;
  recoveries?: number;
}

/**
 * The statuses of a monitor in one region according to its results only, up to its last result or `until`. A status
 * lasts until the next result; an outage starts with its first failure and ends with the first success that enough
 * scheduled ones follow. The results must have no gaps.
 */
export function spansByResults(
  rows: readonly Row[], { retries, recoveries = 0 }: Policy, until?: number,
): Span[] {
  const spans: Span[] = [];
  let fails = 0;
  let recovery: { from: number; goods: number } | null = null;
  let firstFailure = 0;
  let column: Span['column'] | null = null;
  let since = 0;
  for (const row of rows.toSorted((a, b) => a.started_at - b.started_at)) {
    const at = row.started_at;
    if (column !== null) spans.push({ from: since, until: at, column });
    since = at;
    if (row.outcome === 'success') {
      const status = row.degraded ? DEGRADED : UP;
      if (column === DOWN) {
        if (recovery === null) recovery = { from: at, goods: 0 };
        else if (row.reason === 'schedule') recovery.goods += 1;
        if (recovery.goods < recoveries) continue;
        for (const span of spans) if (span.from >= recovery.from) span.column = status;
      }
      recovery = null;
      fails = 0;
      column = status;
      continue;
    }
    recovery = null;
    fails += 1;
    if (fails === 1) firstFailure = at;
    if (fails <= retries || column === DOWN) continue;
    for (const span of spans) if (span.from >= firstFailure) span.column = DOWN;
    column = DOWN;
  }
  if (until !== undefined && column !== null) spans.push({ from: since, until, column });
  return spans;
}

/** Share of the time not down, in percent; null for no time. */
export function uptimeByResults(rows: readonly Row[], policy: Policy, until: number): number | null {
  let [monitored, down] = [0, 0];
  for (const { from, until: end, column } of spansByResults(rows, policy, until)) {
    monitored += end - from;
    if (column === DOWN) down += end - from;
  }
  return monitored === 0 ? null : ((monitored - down) / monitored) * 100;
}
