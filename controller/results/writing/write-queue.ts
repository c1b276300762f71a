import type { Log } from '../../../shared/log.ts';
import { sleep, type Clock } from '../../../shared/time.ts';

/** Writes that may wait; beyond it the shard forms no further entry. */
const MOST_WAITING = 32;
/** First and longest wait before a write is tried again. */
const FIRST_BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 5000;

export interface WriteQueueDeps {
  clock: Clock;
  log: Log;
  shard: number;
}

/** What follows from a shard's entries, written in their order: each write is repeated until it succeeds. */
export class WriteQueue {
  readonly #deps: WriteQueueDeps;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isStopped = false;
  /** A write was left undone; whoever loads the shard next does it again from the journal. */
  #isGivenUp = false;

  constructor(deps: WriteQueueDeps) {
    this.#deps = deps;
  }

  /** True when too many writes are outstanding to accept more. */
  get isBehind(): boolean {
    return this.#waiting >= MOST_WAITING;
  }

  add(write: () => Promise<void>): void {
    this.#waiting += 1;
    this.#last = this.#last.then(() => this.#untilDone(write)).then(() => {
      this.#waiting -= 1;
    });
  }

  /** Waits for what was added. A write that fails from now on is given up, and with it those behind it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#last;
  }

  async #untilDone(write: () => Promise<void>): Promise<void> {
    const { clock, log, shard } = this.#deps;
    let backoffMs = FIRST_BACKOFF_MS;
    while (!this.#isGivenUp) {
      try {
        return await write();
      } catch (error) {
        log.warn({ err: error, shard }, 'a derived write failed and is tried again');
        // A state written past this one would hide for ever what this one had to tell.
        if (this.#isStopped) this.#isGivenUp = true;
        else await sleep(clock, backoffMs);
        backoffMs = Math.min(backoffMs * 2, LONGEST_BACKOFF_MS);
      }
    }
  }
}
