import { backoffMs } from '../../../shared/backoff.ts';
import type { Log } from '../../../shared/log.ts';
import { type Clock, sleep } from '../../../shared/time.ts';
import { isDatabaseUnavailable, writeAllOrEach } from '../../platform/mongo/mongo-errors.ts';
import type { ShardState } from '../state/shard-state.ts';
import { type CutHour, type HourWriterStores, writeClosedHours } from './closed-hours.ts';

/** Limit of outstanding writes. Beyond it, the shard builds no further entry. */
const MAX_WAITING = 32;
/** First and longest backoff after a failed write. */
const WRITE_BACKOFF = { minMs: 50, maxMs: 2000 };

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
        else await sleep(clock, backoffMs(failures, WRITE_BACKOFF));
      }
    }
  }
}

/** First and longest backoff for a monitor whose hours were refused. */
const HOUR_BACKOFF = { minMs: 60_000, maxMs: 3_600_000 };

export interface HourWritesDeps {
  clock: Clock;
  log: Log;
  stores: HourWriterStores;
  state: ShardState;
}

/** Writes closed hours. A monitor whose hours are refused backs off without blocking the others. */
export class HourWrites {
  readonly #deps: HourWritesDeps;
  /** When each monitor is retried, monotonic ms, and its failures in a row. */
  readonly #delayed = new Map<string, { until: number; failures: number }>();

  constructor(deps: HourWritesDeps) {
    this.#deps = deps;
  }

  /** Monitors whose hours were refused. */
  get setAsideCount(): number {
    return this.#delayed.size;
  }

  canWrite(id: string): boolean {
    return (this.#delayed.get(id)?.until ?? 0) <= this.#deps.clock.monotonic();
  }

  /**
   * @returns the hours with more results than a block holds.
   * @throws Error if the database does not respond; may be repeated.
   */
  async write(ids: string[]): Promise<CutHour[]> {
    const cut: CutHour[] = [];
    await writeAllOrEach(ids, {
      write: async (some) => void cut.push(...await this.#writeAll(some)),
      isAboutItems: (error) => !isDatabaseUnavailable(error),
      setAside: (id, error) => this.#delay(id, error),
    });
    return cut;
  }

  async #writeAll(ids: string[]): Promise<CutHour[]> {
    const { clock, stores, state } = this.#deps;
    const cut = await writeClosedHours(stores, state, ids, clock.now());
    for (const id of ids) this.#delayed.delete(id);
    return cut;
  }

  #delay(id: string, error: unknown): void {
    const { clock, log } = this.#deps;
    const failures = (this.#delayed.get(id)?.failures ?? 0) + 1;
    const delayMs = backoffMs(failures, HOUR_BACKOFF);
    this.#delayed.set(id, { failures, until: clock.monotonic() + delayMs });
    log.error(
      { err: error, monitor: id, retry_in_ms: delayMs }, 'could not write the hours of a monitor; other monitors are not affected',
    );
  }
}
