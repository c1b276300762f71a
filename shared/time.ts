import { performance } from 'node:perf_hooks';

/** A timer that can be cancelled; cancelling one that has fired does nothing. */
export interface Timer {
  cancel(): void;
}

/** The only source of time. Instants are Unix ms; durations are ms. */
export interface Clock {
  /** Wall clock, Unix ms. May jump either way. */
  now(): number;
  /** Milliseconds since an arbitrary start; never goes back. For durations and deadlines. */
  monotonic(): number;
  /**
   * Calls `fire` once after `delayMs` (0 or more). If `isCoarse`, it may come half a second earlier or later,
   * so that all that is due about then wakes the process once.
   */
  setTimer(delayMs: number, fire: () => void, isCoarse?: boolean): Timer;
  /** Calls `fire` every `periodMs` (1 ms to 24 days) until cancelled; coarse for whole seconds. */
  setRepeating(periodMs: number, fire: () => void): Timer;
}

/** Longest delay Node's timers accept (2^31 - 1 ms); longer ones would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** The machine's own clock. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs: number, fire: () => void, isCoarse = false): Timer {
    if (delayMs > MAX_TIMER_MS) return setLongTimer(delayMs, fire);
    if (isCoarse && delayMs >= 1000) return systemClock.setTimer(atWholeSecond(delayMs), fire);
    const handle = setTimeout(fire, Math.max(0, delayMs));
    return { cancel: () => clearTimeout(handle) };
  },
  setRepeating(periodMs: number, fire: () => void): Timer {
    if (periodMs % 1000 === 0) return setCoarseRepeating(periodMs, fire);
    const handle = setInterval(fire, Math.min(periodMs, MAX_TIMER_MS));
    return { cancel: () => clearInterval(handle) };
  },
});

/** The delay until the whole second of the monotonic clock that is nearest to `delayMs` from now. */
function atWholeSecond(delayMs: number): number {
  const nowMs = performance.now();
  return Math.round((nowMs + delayMs) / 1000) * 1000 - nowMs;
}

function setCoarseRepeating(periodMs: number, fire: () => void): Timer {
  let next: Timer;
  const wait = () => {
    next = systemClock.setTimer(periodMs, again, true);
  };
  const again = () => {
    wait();
    fire();
  };
  wait();
  return { cancel: () => next.cancel() };
}

function setLongTimer(delayMs: number, fire: () => void): Timer {
  let next: Timer;
  const first = setTimeout(() => {
    next = systemClock.setTimer(delayMs - MAX_TIMER_MS, fire);
  }, MAX_TIMER_MS);
  return {
    cancel: () => {
      clearTimeout(first);
      next?.cancel();
    },
  };
}

/** Resolves after `delayMs` on the given clock. */
export function sleep(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(delayMs, resolve);
  });
}

/** The outcome of `work`, or null when it takes longer than `timeoutMs`. */
export function within<T>(clock: Clock, timeoutMs: number, work: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(timeoutMs, () => resolve(null));
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** ISO 8601 UTC of an instant in Unix ms; null stays null. */
export function isoTime(atMs: number): string;
export function isoTime(atMs: number | null | undefined): string | null;
export function isoTime(atMs: number | null | undefined): string | null {
  return atMs === null || atMs === undefined ? null : new Date(atMs).toISOString();
}
