import { performance } from 'node:perf_hooks';
import type { Clock, Timer } from '../../shared/time.ts';

/** Real time that can jump ahead, for delays of minutes with real sockets and a real store. */
export class WarpClock implements Clock {
  #aheadMs = 0;
  /** When real time stopped to count, by `performance.now()`. */
  #frozenAt: number | null = null;
  readonly #timers = new Set<{ dueMs: number; fire: () => void; handle: NodeJS.Timeout }>();

  now(): number {
    return Math.floor(Date.now() + this.#offsetMs);
  }

  monotonic(): number {
    return performance.now() + this.#offsetMs;
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    const timer = { dueMs: this.monotonic() + delayMs, fire, handle: undefined as unknown as NodeJS.Timeout };
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
    this.#aheadMs += byMs;
    for (const timer of this.#timers) this.#arm(timer);
  }

  /** Until `thaw`, only `warp` lets time pass. */
  freeze(): void {
    this.#frozenAt ??= performance.now();
    for (const timer of this.#timers) this.#arm(timer);
  }

  thaw(): void {
    this.#aheadMs = this.#offsetMs;
    this.#frozenAt = null;
    for (const timer of this.#timers) this.#arm(timer);
  }

  get #offsetMs(): number {
    return this.#aheadMs - (this.#frozenAt === null ? 0 : performance.now() - this.#frozenAt);
  }

  #arm(timer: { dueMs: number; fire: () => void; handle: NodeJS.Timeout }): void {
    clearTimeout(timer.handle);
    const delayMs = Math.max(0, timer.dueMs - this.monotonic());
    if (this.#frozenAt !== null && delayMs > 0) return;
    timer.handle = setTimeout(() => {
      this.#timers.delete(timer);
      timer.fire();
    }, delayMs);
  }
}
