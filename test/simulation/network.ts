import type { SimulatedClock } from '../helpers/simulated-clock.ts';
import { shardOfSubject } from '../../shared/contracts/subjects.ts';
import { BusError } from '../../shared/bus-error.ts';
import type { TakenMessage } from '../../controller/results/intake/take-limits.ts';
import type { Random } from './random.ts';
import type { SimulatedProcess } from './simulated-process.ts';

export interface Weather {
  /** Shares of messages and replies that are lost, duplicated, or delayed by up to 4 s and thus reordered. */
  lose: number;
  double: number;
  delay: number;
}

export const FAIR_WEATHER: Weather = Object.freeze({ lose: 0, double: 0, delay: 0 });

/** A controller as the bus sees it. */
export interface Listener {
  process: SimulatedProcess;
  take(shard: number, message: TakenMessage): void;
}

/** The bus: each message goes to all listeners, the first reply wins, and delivery is not guaranteed. */
export class Network {
  weather: Weather = FAIR_WEATHER;
  readonly cutOff = new Set<string>();
  readonly #clock: SimulatedClock;
  readonly #random: Random;
  readonly #listeners = new Map<number, Set<Listener>>();

  constructor(clock: SimulatedClock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  listen(shard: number, listener: Listener): void {
    const all = this.#listeners.get(shard) ?? new Set();
    this.#listeners.set(shard, all.add(listener));
  }

  unlisten(shard: number, listener: Listener): void {
    this.#listeners.get(shard)?.delete(listener);
  }

  request(
    from: { process: SimulatedProcess; region: string; probeId: string }, subject: string, bytes: Uint8Array,
    timeoutMs: number,
  ): Promise<Uint8Array> {
    const shard = shardOfSubject(subject) as number;
    return new Promise((resolve, reject) => {
      const timer = from.process.setTimer(timeoutMs, () => reject(new BusError('timeout', subject)));
      const acknowledge = (watermark: number): void => this.#carry(from.probeId, () => from.process.enter(() => {
        timer.cancel();
        resolve(Buffer.from(JSON.stringify({ v: 1, watermark })));
      }));
      this.#carry(from.probeId, () => {
        for (const { process, take } of this.#listeners.get(shard) ?? []) {
          process.enter(() => take(shard, { region: from.region, probe_id: from.probeId, bytes, acknowledge }));
        }
      });
    });
  }

  /** Delivers one message zero or more times, in any order. */
  #carry(probeId: string, arrive: () => void): void {
    const { lose, double, delay } = this.weather;
    const copies = this.#random.chance(double) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      if (this.#random.chance(lose)) continue;
      const afterMs = this.#random.chance(delay) ? this.#random.int(1, 4000) : this.#random.int(0, 3);
      this.#clock.setTimer(afterMs, () => {
        if (!this.cutOff.has(probeId)) arrive();
      });
    }
  }
}
