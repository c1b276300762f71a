import type { Writable } from 'node:stream';

export interface Drip {
  /** True until the peer closes the connection. */
  readonly isOpen: boolean;
}

/** Writes one character of `text` every `intervalMs`, then repeats the last one until the connection closes. */
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
