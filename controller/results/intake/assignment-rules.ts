/**
 * How long a probe that lost a monitor still votes on it: enough for running checks, their rechecks and
 * queued messages. Its later results are history.
 */
export const DRAIN_MS = 120_000;

/**
 * How a probe's results of a monitor count. `vote`; `history`: stored without effect on the verdict;
 * `refused`: the probe never had the monitor. `until`: when the probe lost it, Unix ms; Infinity while it has
 * it; null if never.
 */
export function standingOf(until: number | null, now: number): 'vote' | 'history' | 'refused' {
  if (until === null) return 'refused';
  return now - until <= DRAIN_MS ? 'vote' : 'history';
}
