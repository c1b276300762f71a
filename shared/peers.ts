import type { Clock } from './time.ts';

/** Smaller steps of the wall clock delay nothing by more than a poll does. */
const MIN_JUMP_MS = 1000;

/** Whether this controller is the only one. Then nobody else changes what its rounds look for. */
export class Peers {
  #isOnlyController = false;
  /** The wall clock minus the monotonic one, ms; null before the first reading. */
  #offsetMs: number | null = null;
  readonly #listeners: (() => void)[] = [];

  get isOnlyController(): boolean {
    return this.#isOnlyController;
  }

  /** What the last look at the leases has shown. */
  update(isOnlyController: boolean): void {
    const wasOnlyController = this.#isOnlyController;
    this.#isOnlyController = isOnlyController;
    if (wasOnlyController && !isOnlyController) this.#emit();
  }

  /**
   * To be called every few seconds. Timers don't notice that the machine was suspended or its clock set
   * forward, so work may be due long before the timer that waits for it fires.
   */
  readClock(clock: Pick<Clock, 'now' | 'monotonic'>): void {
    const offsetMs = clock.now() - clock.monotonic();
    const jumpedMs = offsetMs - (this.#offsetMs ?? offsetMs);
    this.#offsetMs = offsetMs;
    if (jumpedMs > MIN_JUMP_MS) this.#emit();
  }

  /**
   * Calls `listener` when another controller has come, which may have been there for some seconds, and when
   * the clock has jumped forward: in both cases, polls must not wait for their idle interval.
   */
  onPollNeeded(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #emit(): void {
    for (const listener of this.#listeners) listener();
  }
}
