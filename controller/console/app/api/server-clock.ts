import { signal } from '@preact/signals';

/** Below this it is the way of the answer, and the header's whole seconds. */
const MIN_OFFSET_MS = 30_000;

/** How far the server's clock is ahead of the browser's, in ms; 0 while they agree. */
export const serverOffsetMs = signal(0);

/** @param date the header of an answer that has just come */
export function recordServerDate(date: string | null): void {
  const offsetMs = Date.parse(date ?? '') - Date.now();
  const rounded = Math.abs(offsetMs) < MIN_OFFSET_MS ? 0 : offsetMs;
  // NaN, too, is no difference to act on; and what differs by less than that is the same clock as before.
  if (Math.abs(rounded - serverOffsetMs.peek()) >= MIN_OFFSET_MS) serverOffsetMs.value = rounded;
}
