/** How a product checks, and what it does between the first failure that it sees and its alert. */
export interface Policy {
  /** Ms between the checks of a target, of all places together. */
  checkIntervalMs: number;
  /** Further failing checks that it waits for, one after another. */
  rechecks: number;
  /** Ms between the starts of two of them. */
  recheckSpacingMs: number;
}

/** Policies of products as their manuals give them, for a monitor's interval of `intervalMs`. */
export const POLICIES: Record<string, (intervalMs: number) => Policy> = {
  updown: (intervalMs) => ({ checkIntervalMs: intervalMs, rechecks: 2, recheckSpacingMs: intervalMs / 2 }),
  'Jetmon v1': (intervalMs) => ({ checkIntervalMs: intervalMs, rechecks: 3, recheckSpacingMs: 30_000 }),
  Checkly: (intervalMs) => ({ checkIntervalMs: intervalMs, rechecks: 3, recheckSpacingMs: 5000 }),
};

/** An outage at one target. */
export interface Fault {
  /** When it begins, ms after a check of the policy that still succeeded; below its `everyMs`. */
  afterMs: number;
  /** How long each check takes to fail. */
  failsAfterMs: number;
}

/** Ms from the beginning of the fault until its first failing check ends, and from then until the alert. */
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
