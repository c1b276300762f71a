import type { Writable } from 'node:stream';

export interface Drip {
  /** Until the other side has cut the connection. */
  readonly isOpen: boolean;
}

/** Writes a text character by character, one each `everyMs`, and its last one again and again for as long as the connection is there. */
export function drip(to: Writable, text: string, everyMs: number): Drip {
  let at = 0;
  let isOpen = true;
  const next = () => to.write(text.charAt(Math.min(at++, text.length - 1)));
  next();
  const timer = setInterval(next, everyMs);
  to.on('close', () => {
    isOpen = false;
    clearInterval(timer);
  });
  return {
    get isOpen() {
      return isOpen;
    },
  };
}
