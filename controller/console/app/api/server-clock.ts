import { signal } from '@preact/signals';

/** Below this it is the way of the answer, and the header's whole seconds. */
const LEAST_MS = 30_000;

/** How far the server's clock is ahead of the browser's, in ms; 0 while they agree. */
export const serverAhead = signal(0);

/** @param date the header of an answer that has just come */
export function noteServerDate(date: string | null): void {
  const ahead = Date.parse(date ?? '') - Date.now();
  const rounded = Math.abs(ahead) < LEAST_MS ? 0 : ahead;
  // NaN, too, is no difference to act on; and what differs by less than that is the same clock as before.
  if (Math.abs(rounded - serverAhead.peek()) >= LEAST_MS) serverAhead.value = rounded;
}
