import { backoffMs } from '../../../shared/backoff.ts';
import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import { isDatabaseUnavailable, writeAllOrEach } from '../../platform/mongo/mongo-errors.ts';
import type { ShardState } from '../state/shard-state.ts';
import { writeClosedHours, type CutHour, type HourWriterStores } from './closed-hours.ts';

/** First and longest backoff for a monitor whose hours were refused. */
const BACKOFF = { minMs: 60_000, maxMs: 3_600_000 };

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
    const delayMs = backoffMs(failures, BACKOFF);
    this.#delayed.set(id, { failures, until: clock.monotonic() + delayMs });
    log.error(
      { err: error, monitor: id, retry_in_ms: delayMs }, 'could not write the hours of a monitor; other monitors are not affected',
    );
  }
}
