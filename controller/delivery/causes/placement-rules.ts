/** How long an outage waits for a cause in common with the one before it. */
export const MAX_WAIT_MS = 55_000;
/** From the first alert to the summary, unless the outage is complete before. */
const SUMMARY_AFTER_MS = 55_000;
/** From when everything is down to its summary: the alerts of the last ones arrive one after the other. */
const COMPLETE_AFTER_MS = 3000;
const UPDATE_INTERVAL_MS = 300_000;

/** What was sent about a cause to one recipient, Unix ms. */
interface Sent {
  first_at: number;
  /** After the first alert. */
  messages: number;
  last_at: number | null;
}

/** What is known of the outages of a cause. */
export interface CauseProgress {
  /** All monitors that have the feature are down. */
  isComplete: boolean;
  isOver: boolean;
}

/** When the next message of a thread is due, Unix ms. */
export function nextMessageAt(
  { first_at, messages, last_at }: Sent, { isComplete, isOver }: CauseProgress, now: number,
): number {
  if (isOver) return now;
  if (messages > 0) return Math.max(now, (last_at ?? now) + UPDATE_INTERVAL_MS);
  const last = Math.max(now, first_at + SUMMARY_AFTER_MS);
  return isComplete ? Math.min(last, now + COMPLETE_AFTER_MS) : last;
}
