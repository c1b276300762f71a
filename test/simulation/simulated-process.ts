import type { SimulatedClock } from '../helpers/simulated-clock.ts';
import type { Clock, Timer } from '../../shared/time.ts';

/** Counts actions of all processes, so that promises are only awaited after some. */
export interface Pulse {
  beats: number;
}

interface Held {
  run: () => void;
  isTimer: boolean;
}

/**
 * One process life: its clock, and the gate for all external input. While it is suspended, as after SIGSTOP, timers, replies and
 * messages wait. Once it is dead, nothing arrives.
 */
export class SimulatedProcess implements Clock {
  readonly #clock: SimulatedClock;
  readonly #pulse: Pulse;
  /** Offset of its wall clock, ms. */
  offsetMs: number;
  #state: 'awake' | 'asleep' | 'dead' = 'awake';
  #held: Held[] = [];
  #sleepUntil = 0;

  constructor(clock: SimulatedClock, pulse: Pulse = { beats: 0 }, offsetMs = 0) {
    this.#clock = clock;
    this.#pulse = pulse;
    this.offsetMs = offsetMs;
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  get isAwake(): boolean {
    return this.#state === 'awake';
  }

  now(): number {
    return this.#clock.now() + this.offsetMs;
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    let isCancelled = false;
    const run = (): void => {
      if (!isCancelled) fire();
    };
    const timer = this.#clock.setTimer(delayMs, () => this.#enter({ run, isTimer: true }));
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  setRepeating(periodMs: number, fire: () => void): Timer {
    let isCancelled = false;
    let isHeld = false;
    const run = (): void => {
      isHeld = false;
      if (!isCancelled) fire();
    };
    const timer = this.#clock.setRepeating(periodMs, () => {
      if (this.isDead) return timer.cancel();
      // A repeating timer that was missed during the suspension fires once.
      if (isHeld) return;
      isHeld = !this.isAwake;
      this.#enter({ run, isTimer: true });
    });
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  /** Delivers external input, such as a reply or a message. */
  enter(run: () => void): void {
    this.#enter({ run, isTimer: false });
  }

  /** Suspends the process for a while. */
  sleep(forMs: number, timersFirst: boolean): void {
    if (this.isDead) return;
    this.#state = 'asleep';
    this.#sleepUntil = Math.max(this.#sleepUntil, this.#clock.monotonic() + forMs);
    this.#clock.setTimer(forMs, () => this.#wake(timersFirst));
  }

  die(): void {
    this.#state = 'dead';
    this.#held = [];
  }

  #enter(held: Held): void {
    if (this.#state === 'dead') return;
    if (this.#state === 'awake') {
      this.#pulse.beats += 1;
      held.run();
    } else this.#held.push(held);
  }

  #wake(timersFirst: boolean): void {
    if (this.#state !== 'asleep' || this.#clock.monotonic() < this.#sleepUntil) return;
    this.#state = 'awake';
    const held = this.#held.splice(0).sort(
      (a, b) => (timersFirst ? Number(b.isTimer) - Number(a.isTimer) : Number(a.isTimer) - Number(b.isTimer)),
    );
    // Each in its own turn, as in an event loop.
    for (const one of held) this.#clock.setTimer(0, () => this.#enter(one));
  }
}
