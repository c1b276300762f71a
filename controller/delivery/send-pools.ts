import PQueue from 'p-queue';

/** Tries of one pool that are under way at once. */
const MAX_CONCURRENT_PER_POOL = 256;

export type Pool = 'fast' | 'slow';

/**
 * Destinations that failed or were slow last time are tried in a pool of their own: however many of them
 * hang, the others are still tried. What waits is bounded by the number of destinations at work.
 */
export class SendPools {
  readonly #pools: Record<Pool, PQueue> = {
    fast: new PQueue({ concurrency: MAX_CONCURRENT_PER_POOL }),
    slow: new PQueue({ concurrency: MAX_CONCURRENT_PER_POOL }),
  };
  readonly #closed = new AbortController();

  /** Runs a try in its turn. Resolves to null, without having begun it, when the pools are closed. */
  async run<T>(pool: Pool, work: () => Promise<T>): Promise<T | null> {
    return this.#pools[pool].add(async () => (this.#closed.signal.aborted ? null : work()));
  }

  /** Begins no more tries. */
  close(): void {
    this.#closed.abort();
  }
}
