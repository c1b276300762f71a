import { performance } from 'node:perf_hooks';
import type { Clock, Timer } from '../../shared/time.ts';

interface WaitingTimer {
  dueMs: number;
  fire: () => void;
  handle: NodeJS.Timeout | undefined;
}

/**
 * Real time that can jump ahead, for delays of minutes with real sockets and a real store. With `maxBetweenMs`, time
 * stops that long after each jump, so that a test sees the same times on a slow machine.
 */
export class WarpClock implements Clock {
  /** Between this machine's wall clock and its monotonic one: constant, so that a frozen clock shows one time. */
  readonly #wallMs = Date.now() - performance.now();
  #maxBetweenMs: number;
  /** The latest jump: by this clock, and by the machine's. */
  #jump = { toMs: performance.now(), atMs: performance.now() };
  readonly #timers = new Set<WaitingTimer>();

  constructor({ maxBetweenMs = Infinity }: { maxBetweenMs?: number } = {}) {
    this.#maxBetweenMs = maxBetweenMs;
  }

  now(): number {
    return Math.floor(this.#wallMs + this.monotonic());
  }

  monotonic(): number {
    return this.#jump.toMs + Math.min(performance.now() - this.#jump.atMs, this.#maxBetweenMs);
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    const timer: WaitingTimer = { dueMs: this.monotonic() + delayMs, fire, handle: undefined };
    this.#timers.add(timer);
    this.#arm(timer);
    return {
      cancel: () => {
        clearTimeout(timer.handle);
        this.#timers.delete(timer);
      },
    };
  }

  setRepeating(periodMs: number, fire: () => void): Timer {
    let inner: Timer;
    const again = () => {
      inner = this.setTimer(periodMs, again);
      fire();
    };
    inner = this.setTimer(periodMs, again);
    return { cancel: () => inner.cancel() };
  }

  /** Jumps ahead; timers that become due fire immediately. */
  warp(byMs: number): void {
    this.#jump = { toMs: this.monotonic() + byMs, atMs: performance.now() };
    for (const timer of this.#timers) this.#arm(timer);
  }

  /** Until `thaw`, only `warp` lets time pass. */
  freeze(): void {
    this.warp(0);
    this.#maxBetweenMs = 0;
    this.warp(0);
  }

  /** Lets time pass again, as in the constructor. */
  thaw({ maxBetweenMs = Infinity }: { maxBetweenMs?: number } = {}): void {
    this.warp(0);
    this.#maxBetweenMs = maxBetweenMs;
    this.warp(0);
  }

  #arm(timer: WaitingTimer): void {
    clearTimeout(timer.handle);
    if (timer.dueMs > this.#jump.toMs + this.#maxBetweenMs) return;
    timer.handle = setTimeout(() => {
      this.#timers.delete(timer);
      timer.fire();
    }, Math.max(0, timer.dueMs - this.monotonic()));
  }
}
