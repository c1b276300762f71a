import { networksOf, type CountedNetwork } from './client-networks.ts';
import type { Clock, Timer } from './time.ts';

export interface FairLimits {
  /** Runs at once, of all keys and of one. */
  maxRunning: number;
  maxRunningPerKey: number;
  /** May wait, of all keys and of one; more are refused. */
  maxWaiting: number;
  maxWaitingPerKey: number;
  /** How long work waits before it is refused, ms. */
  maxWaitMs: number;
}

/**
 * `mine`: too much of the same key waits. `all`: too much waits, and no key holds more of it. `late`: it has
 * waited too long.
 */
export type QueueRefusal = 'mine' | 'all' | 'late';

interface Waiting {
  networks: readonly CountedNetwork[];
  start(): void;
  refuse(refusal: QueueRefusal): void;
  timer: Timer;
}

/**
 * Runs expensive work. Keys take turns, so one with much work delays another by one turn at most. When too
 * much waits, the newest work of the key with the most is refused, so that nobody can shut others out. All
 * IPv6 addresses of a /48 have one turn together; less of each waits than of all (`networksOf`).
 */
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
  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const networks = networksOf(caller);
    const key = networks.at(-1)?.key ?? caller;
    if (this.#mayRun(key)) this.#begin(key);
    else await this.#turn(key, networks);
    try {
      return await work();
    } finally {
      this.#end(key);
    }
  }

  #mayRun(key: string): boolean {
    const running = sum([...this.#running.values()]);
    return running < this.#limits.maxRunning && (this.#running.get(key) ?? 0) < this.#limits.maxRunningPerKey;
  }

  #begin(key: string): void {
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
  }

  #turn(key: string, networks: readonly CountedNetwork[]): Promise<void> {
    const { maxWaiting, maxWaitingPerKey, maxWaitMs } = this.#limits;
    const own = this.#waiting.get(key) ?? [];
    for (const { key: network, factor } of networks) {
      const inNetwork = own.filter((each) => each.networks.some((one) => one.key === network));
      if (inNetwork.length >= maxWaitingPerKey * factor) throw this.#refusal('mine');
    }
    this.#makeRoom(key, maxWaiting);
    this.#waiting.set(key, own);
    return new Promise((resolve, reject) => {
      const refuse = (refusal: QueueRefusal) => {
        this.#remove(key, entry, false);
        entry.timer.cancel();
        reject(this.#refusal(refusal));
      };
      const timer = this.#clock.setTimer(maxWaitMs, () => refuse('late'));
      const entry: Waiting = { networks, start: resolve, refuse, timer };
      own.push(entry);
    });
  }

  /** Throws when no other key has more waiting work than `key` would have. */
  #makeRoom(key: string, maxWaiting: number): void {
    const queues = [...this.#waiting];
    if (sum(queues.map(([, queue]) => queue.length)) < maxWaiting) return;
    const lengths = queues.map(([, queue]) => queue.length);
    const maxLength = Math.max(...lengths);
    if (maxLength <= (this.#waiting.get(key)?.length ?? 0) + 1) throw this.#refusal('all');
    queues[lengths.lastIndexOf(maxLength)]?.[1].at(-1)?.refuse('mine');
  }

  #end(key: string): void {
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left === 0) this.#running.delete(key);
    else this.#running.set(key, left);
    for (const [next, [first]] of this.#waiting) {
      if (first === undefined || !this.#mayRun(next)) continue;
      this.#remove(next, first, true);
      first.timer.cancel();
      this.#begin(next);
      first.start();
      return;
    }
  }

  /** `hadTurn`: the key's other work waits for every other key to have a turn. */
  #remove(key: string, entry: Waiting, hadTurn: boolean): void {
    const own = this.#waiting.get(key) ?? [];
    const at = own.indexOf(entry);
    if (at >= 0) own.splice(at, 1);
    if (hadTurn || own.length === 0) this.#waiting.delete(key);
    if (hadTurn && own.length > 0) this.#waiting.set(key, own);
  }

  #refusal(refusal: QueueRefusal): Error {
    this.refused += 1;
    return this.#refuse(refusal);
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
