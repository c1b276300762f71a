import type { Clock, Timer } from '../../shared/time.ts';

interface Job {
  atMs: number;
  readonly periodMs: number | null;
  readonly fire: () => void;
  isQueued: boolean;
  cancelled: boolean;
}

/**
 * A clock that moves only when told to. Timers fire by due time, then by creation, so the same calls produce the same
 * run.
 */
export class SimulatedClock implements Clock {
  #nowMs: number;
  readonly #startMs: number;
  #jobs: Job[] = [];
  #cancelled = 0;
  #jumpedMs = 0;

  constructor(startMs = 1_760_000_000_000) {
    this.#nowMs = startMs;
    this.#startMs = startMs;
  }

  now(): number {
    return this.#nowMs + this.#jumpedMs;
  }

  monotonic(): number {
    return this.#nowMs - this.#startMs;
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    return this.#add(delayMs, null, fire);
  }

  setRepeating(periodMs: number, fire: () => void): Timer {
    const clampedMs = Math.max(1, periodMs);
    return this.#add(clampedMs, clampedMs, fire);
  }

  /** Number of pending timers. */
  get pending(): number {
    return this.#jobs.length - this.#cancelled;
  }

  /** Sets the wall clock forward or back; timers and the monotonic clock are unaffected. */
  jump(byMs: number): void {
    this.#jumpedMs += byMs;
  }

  /** Fires everything due within the next `byMs`. Promises settle between two timers. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#nowMs + byMs;
    await settled();
    while (this.#jobs[0] && this.#jobs[0].atMs <= untilMs) {
      this.step();
      await settled();
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  /** Advances to the next timer and fires it, or skips it if cancelled; false if there is none. */
  step(): boolean {
    const job = this.#jobs.shift();
    if (!job) return false;
    if (job.cancelled) {
      this.#cancelled -= 1;
      return true;
    }
    this.#nowMs = Math.max(this.#nowMs, job.atMs);
    job.isQueued = false;
    if (job.periodMs !== null) {
      job.atMs += job.periodMs;
      this.#insert(job);
    }
    job.fire();
    return true;
  }

  #add(delayMs: number, periodMs: number | null, fire: () => void): Timer {
    const job: Job = {
      atMs: this.#nowMs + Math.max(0, delayMs), periodMs, fire, isQueued: false, cancelled: false,
    };
    this.#insert(job);
    return {
      cancel: () => this.#cancel(job),
    };
  }

  /** Long runs cancel many distant timeouts, so the list is compacted once half of it is cancelled. */
  #cancel(job: Job): void {
    if (job.cancelled || !job.isQueued) return;
    job.cancelled = true;
    this.#cancelled += 1;
    if (this.#cancelled < 64 || this.#cancelled * 2 < this.#jobs.length) return;
    this.#jobs = this.#jobs.filter((each) => !each.cancelled);
    this.#cancelled = 0;
  }

  #insert(job: Job): void {
    let low = 0;
    let high = this.#jobs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#jobs[middle] as Job).atMs <= job.atMs) low = middle + 1;
      else high = middle;
    }
    this.#jobs.splice(low, 0, job);
    job.isQueued = true;
  }
}

/**
 * An immediate runs after all promise callbacks, however long their chain. It takes about 1 µs and doesn't advance any
 * clock.
 */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
