import type { Clock } from '../../shared/time.ts';

/** Smaller jumps of the wall clock delay work by no more than a poll interval. */
const MIN_JUMP_MS = 1000;

/** Tracks whether this is the only controller. If so, no other controller makes changes that need polling. */
export class Peers {
  #isOnlyController = false;
  /** Wall clock minus monotonic clock, ms; null before the first reading. */
  #offsetMs: number | null = null;
  readonly #listeners: (() => void)[] = [];

  get isOnlyController(): boolean {
    return this.#isOnlyController;
  }

  /** Sets the result of the latest scan of the leases. */
  update(isOnlyController: boolean): void {
    const wasOnlyController = this.#isOnlyController;
    this.#isOnlyController = isOnlyController;
    if (wasOnlyController && !isOnlyController) this.#emit();
  }

  /**
   * Call every few seconds. Timers don't notice that the machine was suspended or its clock set forward, so
   * work may be due long before its timer fires.
   */
  readClock(clock: Pick<Clock, 'now' | 'monotonic'>): void {
    const offsetMs = clock.now() - clock.monotonic();
    const jumpedMs = offsetMs - (this.#offsetMs ?? offsetMs);
    this.#offsetMs = offsetMs;
    if (jumpedMs > MIN_JUMP_MS) this.#emit();
  }

  /**
   * Calls `listener` when another controller appears, which may have run for some seconds already, and when
   * the clock jumps forward. In both cases polls must not wait for their idle interval.
   */
  onPollNeeded(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #emit(): void {
    for (const listener of this.#listeners) listener();
  }
}
