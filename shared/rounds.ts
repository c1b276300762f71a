import type { Clock, Timer } from './time.ts';

export interface RoundsDeps {
  clock: Clock;
  everyMs: number;
  /** One look; true when there is more to do at once. */
  round(): Promise<boolean>;
  onFailed(error: unknown): void;
}

/** Looks again and again, and in between when asked; never twice at once. */
export class Rounds {
  readonly #deps: RoundsDeps;
  #timer: Timer | null = null;
  #underWay: Promise<void> | null = null;
  #isWanted = false;
  #isStopped = false;

  constructor(deps: RoundsDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = this.#deps.clock.setRepeating(this.#deps.everyMs, () => this.look());
  }

  /** Looks now; while a round is under way, once more after it. */
  look(): void {
    if (this.#isStopped) return;
    if (this.#underWay) {
      this.#isWanted = true;
      return;
    }
    this.#isWanted = false;
    this.#underWay = this.#deps.round()
      .then((hasMore) => {
        if (hasMore) this.#isWanted = true;
      })
      .catch((error: unknown) => this.#deps.onFailed(error))
      .finally(() => {
        this.#underWay = null;
        if (this.#isWanted) this.look();
      });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#underWay;
  }
}
