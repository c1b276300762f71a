import type { Clock, Timer } from './time.ts';

interface RoundsDeps {
  clock: Clock;
  everyMs: number;
  /** Resolves to true when there is more to do at once. */
  round(): Promise<boolean | void>;
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
    this.#timer = this.#deps.clock.setRepeating(this.#deps.everyMs, () => this.look());
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
    let hasMore: boolean | void = false;
    try {
      hasMore = await this.#deps.round();
    } catch (error) {
      this.#deps.onFailed(error);
      throw error;
    } finally {
      this.#underWay = null;
      if (hasMore) this.look();
    }
  }
}
