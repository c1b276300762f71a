import PQueue from 'p-queue';

const MAX_CONCURRENT_PER_POOL = 256;

export type Pool = 'fast' | 'slow';

/**
 * Destinations that are failing or slow have their own pool, so that they cannot block the others, however
 * many of them hang. The number of active queues limits how many attempts wait.
 */
export class SendPools {
  readonly #pools: Record<Pool, PQueue> = {
    fast: new PQueue({ concurrency: MAX_CONCURRENT_PER_POOL }),
    slow: new PQueue({ concurrency: MAX_CONCURRENT_PER_POOL }),
  };
  readonly #closed = new AbortController();

  /** Runs `work` when the pool has room. Resolves to null without running it if the pools are closed. */
  async run<T>(pool: Pool, work: () => Promise<T>): Promise<T | null> {
    return this.#pools[pool].add(async () => (this.#closed.signal.aborted ? null : work()));
  }

  /** Lets running work finish but starts no more. */
  close(): void {
    this.#closed.abort();
  }
}
