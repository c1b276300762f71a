import type { Clock, Timer } from './time.ts';

export interface FairLimits {
  /** Runs at once, of all keys and of one. */
  atOnce: number;
  atOnceOfKey: number;
  /** May wait, of all keys and of one; more are refused. */
  waiting: number;
  waitingOfKey: number;
  /** How long work waits before it is refused, ms. */
  longestWaitMs: number;
}

/** `mine`: too much of the same key waits. `all`: too much waits. `late`: it has waited too long. */
export type QueueRefusal = 'mine' | 'all' | 'late';

interface Waiting {
  start(): void;
  timer: Timer;
}

/** Runs expensive work. Keys take turns, so one with much work delays another by one turn at most. */
export class FairQueue {
  readonly #clock: Clock;
  readonly #limits: FairLimits;
  readonly #refuse: (refusal: QueueRefusal) => Error;
  /** By key, the one whose turn is next first. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #running = new Map<string, number>();
  /** Refused since the start. */
  refused = 0;

  /** `refuse` returns the error for work that is refused. */
  constructor(clock: Clock, limits: FairLimits, refuse: (refusal: QueueRefusal) => Error) {
    this.#clock = clock;
    this.#limits = limits;
    this.#refuse = refuse;
  }

  /** Ends as `work` does. Rejects without running it when too much waits, or when its turn does not come. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#mayRun(key)) this.#begin(key);
    else await this.#turn(key);
    try {
      return await work();
    } finally {
      this.#end(key);
    }
  }

  #mayRun(key: string): boolean {
    const running = sum([...this.#running.values()]);
    return running < this.#limits.atOnce && (this.#running.get(key) ?? 0) < this.#limits.atOnceOfKey;
  }

  #begin(key: string): void {
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
  }

  #turn(key: string): Promise<void> {
    const { waiting, waitingOfKey, longestWaitMs } = this.#limits;
    const own = this.#waiting.get(key) ?? [];
    if (own.length >= waitingOfKey) throw this.#refusal('mine');
    if (sum([...this.#waiting.values()].map((queue) => queue.length)) >= waiting) throw this.#refusal('all');
    this.#waiting.set(key, own);
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#remove(key, entry);
        reject(this.#refusal('late'));
      };
      const entry: Waiting = { start: resolve, timer: this.#clock.setTimer(longestWaitMs, giveUp) };
      own.push(entry);
    });
  }

  #end(key: string): void {
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left === 0) this.#running.delete(key);
    else this.#running.set(key, left);
    for (const [next, [first]] of this.#waiting) {
      if (first === undefined || !this.#mayRun(next)) continue;
      this.#remove(next, first);
      first.timer.cancel();
      this.#begin(next);
      first.start();
      return;
    }
  }

  /** The key's other work waits for every other key to have a turn. */
  #remove(key: string, entry: Waiting): void {
    const others = (this.#waiting.get(key) ?? []).filter((other) => other !== entry);
    this.#waiting.delete(key);
    if (others.length > 0) this.#waiting.set(key, others);
  }

  #refusal(refusal: QueueRefusal): Error {
    this.refused += 1;
    return this.#refuse(refusal);
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
