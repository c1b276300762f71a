/** How a product checks, and what it does between the first failure and its alert. */
export interface Policy {
  /** Ms between the checks of a target, from all locations together. */
  checkIntervalMs: number;
  /** Further consecutive failing checks required. */
  rechecks: number;
  /** Ms between the starts of two rechecks. */
  recheckSpacingMs: number;
}

/** Policies of products according to their manuals, for a monitor interval of `intervalMs`. */
export const POLICIES: Record<string, (intervalMs: number) => Policy> = {
  updown: (intervalMs) => ({ checkIntervalMs: intervalMs, rechecks: 2, recheckSpacingMs: intervalMs / 2 }),
  'Jetmon v1': (intervalMs) => ({ checkIntervalMs: intervalMs, rechecks: 3, recheckSpacingMs: 30_000 }),
  Checkly: (intervalMs) => ({ checkIntervalMs: intervalMs, rechecks: 3, recheckSpacingMs: 5000 }),
};

/** An outage of one target. */
export interface Fault {
  /** When it starts, ms after the policy's last successful check; less than its `checkIntervalMs`. */
  afterMs: number;
  /** How long each check takes to fail. */
  failsAfterMs: number;
}

/** Ms from the start of the fault to the end of its first failing check, and from then to the alert. */
export function detect(
  { checkIntervalMs, rechecks, recheckSpacingMs }: Policy, { afterMs, failsAfterMs }: Fault,
): { seenMs: number; confirmedMs: number } {
  const seenMs = checkIntervalMs - afterMs + failsAfterMs;
  let endedMs = seenMs;
  let startedMs = checkIntervalMs - afterMs;
  for (let nth = 0; nth < rechecks; nth += 1) {
    startedMs = Math.max(startedMs + recheckSpacingMs, endedMs);
    endedMs = startedMs + failsAfterMs;
  }
  return { seenMs, confirmedMs: endedMs - seenMs };
}
