import type { Company } from './company.ts';
import type { Clock, Timer } from './time.ts';

/** From a quiet round to the next while this controller is alone and all changes are its own. */
export const ALONE_MS = 60_000;

interface RoundsDeps {
  clock: Clock;
  everyMs: number;
  /** For rounds whose work is announced: the time from a round that was `quiet` to the next, ms. */
  quietMs?: number;
  /** While this controller is alone, the next round after a quiet one waits for a minute. */
  company?: Company;
  /** Resolves to true when there is more to do at once, and to `quiet` when the next round can wait. */
  round(): Promise<boolean | void | 'quiet'>;
  onFailed(error: unknown): void;
}

/** Makes a round again and again, and in between when asked; never two at once. */
export class Rounds {
  readonly #deps: RoundsDeps;
  #timer: Timer | null = null;
  #underWay: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #waitMs = 0;
  #isExpected = false;
  #isStopped = false;

  constructor(deps: RoundsDeps) {
    this.#deps = deps;
    deps.company?.onArrival(() => {
      if (this.#timer) this.look();
    });
  }

  /** The first round is due after one period. */
  start(): void {
    this.#wait(this.#deps.everyMs);
  }

  /** Looks now; while a round is under way, once more after it. */
  look(): void {
    this.run().catch(() => undefined);
  }

  /** Looks within a period at the latest: there may be something that no round has seen. */
  soon(): void {
    this.#isExpected = true;
    if (this.#timer && this.#waitMs > this.#deps.everyMs) this.#wait(this.#deps.everyMs);
  }

  /** Resolves after a round that began after this call, or rejects with its error. Callers share a round. */
  run(): Promise<void> {
    if (this.#next) return this.#next;
    if (!this.#underWay) return this.#begin();
    this.#next = this.#underWay
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        return this.#begin();
      });
    return this.#next;
  }

  /** Ends with the round that is under way; none begins any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#underWay?.catch(() => undefined);
  }

  #begin(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    this.#underWay = this.#round();
    return this.#underWay;
  }

  async #round(): Promise<void> {
    const { quietMs, round, onFailed } = this.#deps;
    let outcome: boolean | void | 'quiet' = false;
    this.#isExpected = false;
    try {
      outcome = await round();
    } catch (error) {
      onFailed(error);
      throw error;
    } finally {
      this.#underWay = null;
      if (quietMs !== undefined && this.#timer) this.#wait(this.#pauseMs(outcome === 'quiet', quietMs));
      if (outcome === true) this.look();
    }
  }

  #pauseMs(isQuiet: boolean, quietMs: number): number {
    if (!isQuiet || this.#isExpected) return this.#deps.everyMs;
    return this.#deps.company?.isAlone ? ALONE_MS : quietMs;
  }

  #wait(delayMs: number): void {
    const { clock, everyMs } = this.#deps;
    this.#timer?.cancel();
    this.#waitMs = delayMs;
    if (this.#isStopped) return;
    this.#timer = clock.setTimer(delayMs, () => {
      this.#wait(everyMs);
      this.look();
    }, true);
  }
}
