import { performance } from 'node:perf_hooks';

/** A timer. Cancelling one that has fired does nothing. */
export interface Timer {
  cancel(): void;
}

/** The only source of time. Instants are Unix ms; durations are ms. */
export interface Clock {
  /** Wall clock, Unix ms. May jump either way. */
  now(): number;
  /** Milliseconds since an arbitrary start; never goes backwards. For durations and deadlines. */
  monotonic(): number;
  /**
   * Calls `fire` once after `delayMs` (0 or more). If `isCoarse`, it may fire half a second early or late, so
   * that nearby timers wake the process together.
   */
  setTimer(delayMs: number, fire: () => void, isCoarse?: boolean): Timer;
  /** Calls `fire` every `periodMs` (1 ms to 24 days) until cancelled; coarse if it is a multiple of 1 s. */
  setRepeating(periodMs: number, fire: () => void): Timer;
}

/** Maximum delay of Node's timers (2^31 - 1 ms); longer ones would fire immediately. */
const MAX_TIMER_MS = 2_147_483_647;

/** The system clock. */
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

/** The delay to the whole second of the monotonic clock that is nearest to `delayMs` from now. */
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

export function sleep(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(delayMs, resolve);
  });
}

/** The result of `work`, or null if it takes longer than `timeoutMs`. */
export function within<T>(clock: Clock, timeoutMs: number, work: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(timeoutMs, () => resolve(null));
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** ISO 8601 in UTC for Unix ms; null for null. */
export function isoTime(atMs: number): string;
export function isoTime(atMs: number | null | undefined): string | null;
export function isoTime(atMs: number | null | undefined): string | null {
  return atMs === null || atMs === undefined ? null : new Date(atMs).toISOString();
}
