import { backoffMs } from '../../../shared/backoff.ts';
import type { Log } from '../../../shared/log.ts';
import { sleep, type Clock } from '../../../shared/time.ts';

/** Limit of outstanding writes. Beyond it, the shard builds no further entry. */
const MAX_WAITING = 32;
/** First and longest backoff after a failed write. */
const BACKOFF = { minMs: 50, maxMs: 5000 };

export interface WriteQueueDeps {
  clock: Clock;
  log: Log;
  shard: number;
}

/**
 * Performs the writes that follow from a shard's entries, in order. Each write is retried until it succeeds.
 */
export class WriteQueue {
  readonly #deps: WriteQueueDeps;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isStopped = false;
  /** A write was given up. The next instance of the shard repeats it from the journal. */
  #isAborted = false;

  constructor(deps: WriteQueueDeps) {
    this.#deps = deps;
  }

  /** True if too many writes are outstanding to accept more. */
  get isFull(): boolean {
    return this.#waiting >= MAX_WAITING;
  }

  add(write: () => Promise<void>): void {
    this.#waiting += 1;
    this.#last = this.#last.then(() => this.#writeUntilDone(write)).then(() => {
      this.#waiting -= 1;
    });
  }

  /** Flushes the queue. The first write that fails from now on is given up, with those behind it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#last;
  }

  async #writeUntilDone(write: () => Promise<void>): Promise<void> {
    const { clock, log, shard } = this.#deps;
    for (let failures = 1; !this.#isAborted; failures += 1) {
      try {
        return await write();
      } catch (error) {
        log.warn({ err: error, shard }, 'a derived write failed and will be retried');
        // Writing a later state before this one would hide its effects permanently.
        if (this.#isStopped) this.#isAborted = true;
        else await sleep(clock, backoffMs(failures, BACKOFF));
      }
    }
  }
}
