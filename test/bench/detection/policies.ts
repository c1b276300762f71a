/** How a product checks, and what it does between the first failure that it sees and its alert. */
export interface Policy {
  /** Ms between the checks of a target, of all places together. */
  everyMs: number;
  /** Further failing checks that it waits for, one after another. */
  rechecks: number;
  /** Ms between the starts of two of them. */
  apartMs: number;
}

/** Policies of products as their manuals give them, for a monitor's interval of `intervalMs`. */
export const POLICIES: Record<string, (intervalMs: number) => Policy> = {
  updown: (intervalMs) => ({ everyMs: intervalMs, rechecks: 2, apartMs: intervalMs / 2 }),
  'Jetmon v1': (intervalMs) => ({ everyMs: intervalMs, rechecks: 3, apartMs: 30_000 }),
  Checkly: (intervalMs) => ({ everyMs: intervalMs, rechecks: 3, apartMs: 5000 }),
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
  { everyMs, rechecks, apartMs }: Policy, { afterMs, failsAfterMs }: Fault,
): { seenMs: number; confirmedMs: number } {
  const seenMs = everyMs - afterMs + failsAfterMs;
  let endedMs = seenMs;
  let startedMs = everyMs - afterMs;
  for (let nth = 0; nth < rechecks; nth += 1) {
    startedMs = Math.max(startedMs + apartMs, endedMs);
    endedMs = startedMs + failsAfterMs;
  }
  return { seenMs, confirmedMs: endedMs - seenMs };
}
