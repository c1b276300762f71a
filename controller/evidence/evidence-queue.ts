import { backoffMs } from '../../shared/backoff.ts';
import type { Log } from '../../shared/log.ts';
import { sleep, type Clock } from '../../shared/time.ts';
import type { ReceivedEvidence } from './evidence.ts';

/** Limits of queued evidence, for example during a database outage. */
const MAX_QUEUED = 1000;
const MAX_QUEUED_BYTES = 8 * 1_048_576;
const BATCH_SIZE = 100;
/** How long a write waits for more, and for longer after a failure. Short, because a stop waits for it. */
const BATCH_DELAY = { minMs: 250, maxMs: 2000 };

interface QueueDeps {
  clock: Clock;
  log: Log;
  /** Rejects if nothing can be written; the same batch is then retried. */
  write(batch: ReceivedEvidence[]): Promise<void>;
}

/** Writes evidence to the database in batches. Sets no timer while the queue is empty. */
export class EvidenceQueue {
  readonly #deps: QueueDeps;
  readonly #waiting: ReceivedEvidence[] = [];
  #bytes = 0;
  #writing: Promise<void> | null = null;
  #isStopped = false;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
  }

  /** False, without effect, if the queue is full. */
  put(item: ReceivedEvidence): boolean {
    const isFull = this.#waiting.length >= MAX_QUEUED || this.#bytes + item.size > MAX_QUEUED_BYTES;
    if (isFull || this.#isStopped) return false;
    this.#waiting.push(item);
    this.#bytes += item.size;
    this.#writing ??= this.#writeAll();
    return true;
  }

  /** Writes what is queued. Gives up on the first write that fails. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    const { clock, log, write } = this.#deps;
    let failures = 0;
    while (this.#waiting.length > 0) {
      if (!this.#isStopped) await sleep(clock, backoffMs(failures + 1, BATCH_DELAY));
      const batch = this.#waiting.slice(0, BATCH_SIZE);
      try {
        await write(batch);
        this.#remove(batch.length);
        failures = 0;
      } catch (error) {
        if (failures === 0) log.warn({ err: error }, 'could not write evidence; it will be retried');
        if (this.#isStopped) break;
        failures += 1;
      }
    }
    this.#writing = null;
  }

  #remove(count: number): void {
    for (const { size } of this.#waiting.splice(0, count)) this.#bytes -= size;
  }
}
