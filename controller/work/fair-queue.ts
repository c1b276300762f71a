import type { Clock, Timer } from '../../shared/time.ts';
import { networksOf, type CountedNetwork } from './client-networks.ts';

export interface FairLimits {
  /** Maximum running, in total and per key. */
  maxRunning: number;
  maxRunningPerKey: number;
  /** Maximum waiting, in total and per key; more are rejected. */
  maxWaiting: number;
  maxWaitingPerKey: number;
  /** Maximum wait before work is rejected, ms. */
  maxWaitMs: number;
}

/**
 * `mine`: too much work of the same key is waiting. `all`: too much is waiting, and no key has more of it.
 * `late`: it has waited too long.
 */
export type QueueRefusal = 'mine' | 'all' | 'late';

interface Waiting {
  networks: readonly CountedNetwork[];
  start(): void;
  refuse(refusal: QueueRefusal): void;
  timer: Timer;
}

/**
 * Runs expensive work round-robin by key, so that a busy key delays others by at most one turn. When the
 * queue is full, it rejects the newest work of the key with the most. An IPv6 /48 is one key with limits per
 * `networksOf`.
 */
export class FairQueue {
  readonly #clock: Clock;
  readonly #limits: FairLimits;
  readonly #refuse: (refusal: QueueRefusal) => Error;
  /** By key, in the order of turns. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #running = new Map<string, number>();
  /** Rejections since the start. */
  refused = 0;

  /** `refuse` creates the error for rejected work. */
  constructor(clock: Clock, limits: FairLimits, refuse: (refusal: QueueRefusal) => Error) {
    this.#clock = clock;
    this.#limits = limits;
    this.#refuse = refuse;
  }

  /** Settles as `work` does. Rejects without running it if the queue is full or it waits too long. */
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

  /** Throws if no other key would have more waiting work than `key`. */
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

  /** `hadTurn`: the key's remaining work goes behind all other keys. */
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
