/**
 * How long a probe that lost a monitor still votes on it: enough for the checks under way at that time, their
 * rechecks and a queue on the way. Its later results are history.
 */
export const DRAIN_MS = 120_000;

/**
 * What a probe's results of a monitor are worth: `vote`; `history` if they are stored and move no verdict;
 * `refused` if the probe never had the monitor. `until`: when the probe lost it, Unix ms; Infinity while it
 * has it; null if it never had it.
 */
export function standingOf(until: number | null, now: number): 'vote' | 'history' | 'refused' {
  if (until === null) return 'refused';
  return now - until <= DRAIN_MS ? 'vote' : 'history';
}
