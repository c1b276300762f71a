import { signal } from '@preact/signals';

/** Smaller offsets come from network delay and the header's whole seconds. */
const MIN_OFFSET_MS = 30_000;

/** How far the server's clock is ahead of the browser's, in ms; 0 if they agree. */
export const serverOffsetMs = signal(0);

/** @param date Date header of a response that has just arrived */
export function recordServerDate(date: string | null): void {
  const offsetMs = Date.parse(date ?? '') - Date.now();
  const rounded = Math.abs(offsetMs) < MIN_OFFSET_MS ? 0 : offsetMs;
  // Ignores NaN and changes below the minimum.
  if (Math.abs(rounded - serverOffsetMs.peek()) >= MIN_OFFSET_MS) serverOffsetMs.value = rounded;
}
