import type { SimulatedClock } from '../helpers/simulated-clock.ts';
import type { Random } from './random.ts';
import type { SimulatedProcess } from './simulated-process.ts';

/** What may go wrong with the database: shares of commands, 0 to 1. */
export interface Health {
  isDown: boolean;
  /** Answered after up to 3 s. */
  slow: number;
  /** An error, and nothing done. */
  failBefore: number;
  /** An error, and yet done (in part, when it was several documents). */
  failAfter: number;
  /** No answer within the driver's patience, and done much later. */
  ghost: number;
  /** The process dies right before or right after a write takes effect. */
  crash: number;
}

export const HEALTHY: Health =
  Object.freeze({ isDown: false, slow: 0, failBefore: 0, failAfter: 0, ghost: 0, crash: 0 });

/** The driver waits no longer than this. */
const PATIENCE_MS = 5000;

export class NoAnswer extends Error {}

/** Effects of one command; several documents of a bulk write take effect one by one. */
type Effects<T> = { parts: (() => void)[]; answer: () => T };

/** How stores reach the database. */
export interface Line {
  read<T>(answer: () => T): Promise<T>;
  /** `parts` take effect in order; then `answer` is asked for the reply. */
  write<T>(parts: (() => void)[], answer: () => T): Promise<T>;
}

/**
 * One process's connection to the database. Every command is one step that is answered late, twice wrong or
 * never.
 */
export class Wire implements Line {
  readonly #clock: SimulatedClock;
  readonly #random: Random;
  readonly #process: SimulatedProcess;
  readonly #health: () => Health;
  readonly #kill: () => void;

  constructor(parts: {
    clock: SimulatedClock;
    random: Random;
    process: SimulatedProcess;
    health: () => Health;
    kill: () => void;
  }) {
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#process = parts.process;
    this.#health = parts.health;
    this.#kill = parts.kill;
  }

  read<T>(answer: () => T): Promise<T> {
    return this.#issue({ parts: [], answer }, false);
  }

  write<T>(parts: (() => void)[], answer: () => T): Promise<T> {
    return this.#issue({ parts, answer }, true);
  }

  #issue<T>(effects: Effects<T>, isWrite: boolean): Promise<T> {
    const random = this.#random;
    const health = this.#health();
    return new Promise((resolve, reject) => {
      const fail = (afterMs: number): void => {
        this.#clock.setTimer(afterMs, () => this.#process.enter(() => reject(new NoAnswer('no answer'))));
      };
      const takeEffect = (atMs: number, share: number, then?: () => void): void => {
        this.#clock.setTimer(atMs, () => {
          const count = share === 1 ? effects.parts.length : Math.round(effects.parts.length * share);
          for (const part of effects.parts.slice(0, count)) part();
          then?.();
        });
      };
      if (health.isDown) {
        fail(random.chance(0.5) ? PATIENCE_MS : random.int(1, 50));
        if (isWrite && random.chance(0.05)) takeEffect(random.int(1, 15_000), random.next());
        return;
      }
      if (isWrite && random.chance(health.crash)) {
        if (random.chance(0.5)) takeEffect(1, random.chance(0.7) ? 1 : random.next(), () => this.#kill());
        else this.#clock.setTimer(1, () => this.#kill());
        return;
      }
      const fate = random.next();
      if (fate < health.failBefore) return fail(random.int(1, PATIENCE_MS));
      if (fate < health.failBefore + health.failAfter) {
        takeEffect(1, random.chance(0.6) ? 1 : random.next());
        return fail(random.chance(0.5) ? PATIENCE_MS : random.int(2, 100));
      }
      if (isWrite && fate < health.failBefore + health.failAfter + health.ghost) {
        takeEffect(PATIENCE_MS + random.int(1, 20_000), 1);
        return fail(PATIENCE_MS);
      }
      const totalMs = random.chance(health.slow) ? random.int(5, 3000) : random.int(1, 6);
      const effectMs = isWrite ? random.int(0, totalMs) : totalMs;
      takeEffect(effectMs, 1, () => {
        const value = effects.answer();
        if (effectMs === totalMs) return this.#process.enter(() => resolve(value));
        this.#clock.setTimer(totalMs - effectMs, () => this.#process.enter(() => resolve(value)));
      });
    });
  }
}
