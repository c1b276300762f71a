import type { paths } from '../api/openapi.d.ts';

type Route = paths['/api/alerts/simulate']['post'];
export type RehearsalInput = Omit<Route['requestBody']['content']['application/json'], 'from' | 'to'>;
export type Rehearsal = Route['responses'][200]['content']['application/json']['data'];

export interface Outcome {
  alerts: number;
  actual: number;
  missed: number;
  /** Of the longest missed outage, in whole minutes; 0 if none was missed. */
  longestMinutes: number;
}

const MINUTE_MS = 60_000;

export function outcomeOf({ alerts, actual, missed }: Rehearsal): Outcome {
  const longestMs = missed.reduce((longest, { from, to }) => Math.max(longest, to - from), 0);
  return {
    alerts: alerts.length, actual: actual.length, missed: missed.length, longestMinutes: Math.ceil(longestMs / MINUTE_MS),
  };
}

/** How many alerts each of `count` equal parts of a time range has. */
export function countsOf(alerts: readonly { at: number }[], { from, to }: { from: number; to: number }, count: number): number[] {
  const counts = Array.from({ length: count }, () => 0);
  for (const { at } of alerts) {
    const part = Math.min(count - 1, Math.max(0, Math.floor(((at - from) / (to - from)) * count)));
    counts[part] = (counts[part] ?? 0) + 1;
  }
  return counts;
}
