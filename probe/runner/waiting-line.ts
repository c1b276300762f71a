import { Fifo } from '../fifo.ts';

/** Monitors that missed more slots in a row count as this many. */
const MAX_RANK = 7;

/** Something that waits for its turn. */
export interface Waiting {
  /** Slots of its monitor missed in a row, directly before this one. */
  readonly missedBefore: number;
}

/**
 * Those whose monitor has missed most slots in a row come first, then those that have waited longest. If only
 * a share of the slots can run, all monitors get that share. As long as that is half of them, none misses two
 * in a row, which would cost its region the vote.
 */
export class WaitingLine<Item extends Waiting> {
  readonly #byRank = Array.from({ length: MAX_RANK + 1 }, () => new Fifo<Item>());
  #size = 0;

  get size(): number {
    return this.#size;
  }

  put(item: Item): void {
    this.#byRank[Math.min(item.missedBefore, MAX_RANK)]?.put(item);
    this.#size += 1;
  }

  take(): Item | undefined {
    return this.#takeWhere((fifo) => fifo.size > 0);
  }

  /** Takes an item that fulfils the condition and has waited longest of its rank. */
  takeExpired(hasExpired: (item: Item) => boolean): Item | undefined {
    return this.#takeWhere((fifo) => {
      const first = fifo.peek();
      return first !== undefined && hasExpired(first);
    });
  }

  clear(): Item[] {
    this.#size = 0;
    return this.#byRank.flatMap((fifo) => fifo.clear());
  }

  #takeWhere(isWanted: (fifo: Fifo<Item>) => boolean): Item | undefined {
    if (this.#size === 0) return undefined;
    for (let rank = MAX_RANK; rank >= 0; rank -= 1) {
      const fifo = this.#byRank[rank] as Fifo<Item>;
      if (!isWanted(fifo)) continue;
      this.#size -= 1;
      return fifo.take();
    }
    return undefined;
  }
}
