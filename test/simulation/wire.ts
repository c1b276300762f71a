import { MongoNetworkError } from 'mongodb';
import type { SimulatedClock } from '../helpers/simulated-clock.ts';
import type { Random } from './random.ts';
import type { SimulatedProcess } from './simulated-process.ts';

/** Database faults, as shares of commands, 0 to 1. */
export interface Health {
  isDown: boolean;
  /** The response takes up to 3 s. */
  slow: number;
  /** Fails without effect. */
  failBefore: number;
  /** Fails although it took effect, or part of it if there were several documents. */
  failAfter: number;
  /** Takes effect after the driver's timeout, without a response. */
  ghost: number;
  /** The process dies right before or right after a write takes effect. */
  crash: number;
}

export const HEALTHY: Health =
  Object.freeze({ isDown: false, slow: 0, failBefore: 0, failAfter: 0, ghost: 0, crash: 0 });

/** The driver's timeout. */
const DRIVER_TIMEOUT_MS = 5000;

/** The driver's error if the database is unavailable. */
export class NoResponseError extends MongoNetworkError {}

/** Effects of one command. The documents of a bulk write take effect one by one. */
type Effects<T> = { parts: (() => void)[]; respond: () => T };

/** The stores' connection to the database. */
export interface Line {
  read<T>(respond: () => T): Promise<T>;
  /** `parts` take effect in order; then `answer` gives the response. */
  write<T>(parts: (() => void)[], respond: () => T): Promise<T>;
}

/**
 * One process's connection to the database. Each command takes effect as one step. Its response may be late, wrong or missing.
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

  read<T>(respond: () => T): Promise<T> {
    return this.#issue({ parts: [], respond }, false);
  }

  write<T>(parts: (() => void)[], respond: () => T): Promise<T> {
    return this.#issue({ parts, respond }, true);
  }

  #issue<T>(effects: Effects<T>, isWrite: boolean): Promise<T> {
    const random = this.#random;
    const health = this.#health();
    return new Promise((resolve, reject) => {
      const fail = (afterMs: number): void => {
        this.#clock.setTimer(afterMs, () => this.#process.enter(() => reject(new NoResponseError('no response'))));
      };
      const takeEffect = (atMs: number, share: number, then?: () => void): void => {
        this.#clock.setTimer(atMs, () => {
          const count = share === 1 ? effects.parts.length : Math.round(effects.parts.length * share);
          for (const part of effects.parts.slice(0, count)) part();
          then?.();
        });
      };
      if (health.isDown) {
        fail(random.chance(0.5) ? DRIVER_TIMEOUT_MS : random.int(1, 50));
        if (isWrite && random.chance(0.05)) takeEffect(random.int(1, 15_000), random.next());
        return;
      }
      if (isWrite && random.chance(health.crash)) {
        if (random.chance(0.5)) takeEffect(1, random.chance(0.7) ? 1 : random.next(), () => this.#kill());
        else this.#clock.setTimer(1, () => this.#kill());
        return;
      }
      const fate = random.next();
      if (fate < health.failBefore) return fail(random.int(1, DRIVER_TIMEOUT_MS));
      if (fate < health.failBefore + health.failAfter) {
        takeEffect(1, random.chance(0.6) ? 1 : random.next());
        return fail(random.chance(0.5) ? DRIVER_TIMEOUT_MS : random.int(2, 100));
      }
      if (isWrite && fate < health.failBefore + health.failAfter + health.ghost) {
        takeEffect(DRIVER_TIMEOUT_MS + random.int(1, 20_000), 1);
        return fail(DRIVER_TIMEOUT_MS);
      }
      const totalMs = random.chance(health.slow) ? random.int(5, 3000) : random.int(1, 6);
      const effectMs = isWrite ? random.int(0, totalMs) : totalMs;
      takeEffect(effectMs, 1, () => {
        const value = effects.respond();
        if (effectMs === totalMs) return this.#process.enter(() => resolve(value));
        this.#clock.setTimer(totalMs - effectMs, () => this.#process.enter(() => resolve(value)));
      });
    });
  }
}
