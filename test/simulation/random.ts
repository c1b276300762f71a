import { randomOf } from '../helpers/random-of.ts';

/** Random numbers from a seed. The same seed gives the same run. */
export class Random {
  /** From 0 (inclusive) to 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = randomOf(seed);
  }

  /** An integer between two inclusive bounds. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(0, list.length - 1)] as T;
  }

  /** An independent sequence, so that draws in one part of the world do not affect the others. */
  fork(): Random {
    return new Random(this.int(0, 2 ** 32 - 1));
  }

  /** The text of a UUID. */
  uuid(): string {
    const hex = Array.from({ length: 32 }, () => this.int(0, 15).toString(16)).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}
