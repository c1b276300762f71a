import type { Clock, Timer } from './time.ts';

interface RoundsDeps {
  clock: Clock;
  everyMs: number;
  /** For rounds whose work is announced: the time from a round that was `quiet` to the next, ms. */
  quietMs?: number;
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
  #isStopped = false;

  constructor(deps: RoundsDeps) {
    this.#deps = deps;
  }

  /** The first round is due after one period. */
  start(): void {
    this.#wait(this.#deps.everyMs);
  }

  /** Looks now; while a round is under way, once more after it. */
  look(): void {
    this.run().catch(() => undefined);
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
    const { everyMs, quietMs, round, onFailed } = this.#deps;
    let outcome: boolean | void | 'quiet' = false;
    try {
      outcome = await round();
    } catch (error) {
      onFailed(error);
      throw error;
    } finally {
      this.#underWay = null;
      if (quietMs !== undefined && this.#timer) this.#wait(outcome === 'quiet' ? quietMs : everyMs);
      if (outcome === true) this.look();
    }
  }

  #wait(delayMs: number): void {
    const { clock, everyMs } = this.#deps;
    this.#timer?.cancel();
    if (this.#isStopped) return;
    this.#timer = clock.setTimer(delayMs, () => {
      this.#wait(everyMs);
      this.look();
    });
  }
}
