import type { Clock, Timer } from './time.ts';

interface Job {
  atMs: number;
  order: number;
  readonly periodMs: number | null;
  readonly fire: () => void;
  cancelled: boolean;
}

/**
 * A clock that moves only when told to. Timers fire in order of their due time, then of their
 * creation, so that a run is repeated exactly by repeating its calls.
 */
export class SimulatedClock implements Clock {
  #nowMs: number;
  readonly #startMs: number;
  #order = 0;
  readonly #jobs: Job[] = [];

  constructor(startMs = 1_760_000_000_000) {
    this.#nowMs = startMs;
    this.#startMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs - this.#startMs;
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    return this.#add(delayMs, null, fire);
  }

  setRepeating(periodMs: number, fire: () => void): Timer {
    return this.#add(periodMs, periodMs, fire);
  }

  /** Number of timers that are still to fire. */
  get pending(): number {
    return this.#jobs.filter((job) => !job.cancelled).length;
  }

  /** Fires everything due within the next `byMs`, letting promises settle between two timers. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#nowMs + byMs;
    await settle();
    while (this.#jobs[0] && this.#jobs[0].atMs <= untilMs) {
      this.step();
      await settle();
    }
    this.#nowMs = untilMs;
  }

  /** Jumps to the next timer and fires it; false when there is none. */
  step(): boolean {
    const job = this.#jobs.shift();
    if (!job) return false;
    if (job.cancelled) return true;
    this.#nowMs = Math.max(this.#nowMs, job.atMs);
    if (job.periodMs !== null) {
      job.atMs += job.periodMs;
      this.#insert(job);
    }
    job.fire();
    return true;
  }

  #add(delayMs: number, periodMs: number | null, fire: () => void): Timer {
    const job: Job = { atMs: this.#nowMs + Math.max(0, delayMs), order: 0, periodMs, fire, cancelled: false };
    this.#insert(job);
    return {
      cancel: () => {
        job.cancelled = true;
      },
    };
  }

  #insert(job: Job): void {
    job.order = ++this.#order;
    let low = 0;
    let high = this.#jobs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#jobs[middle] as Job).atMs <= job.atMs) low = middle + 1;
      else high = middle;
    }
    this.#jobs.splice(low, 0, job);
  }
}

/** Lets promise callbacks that are ready run, without using a timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
}
