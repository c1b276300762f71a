import type { Log } from '../../../shared/log.ts';
import type { Clock, Timer } from '../../../shared/time.ts';
import { isDatabaseUnavailable, writeAllOrEach } from '../../platform/mongo/mongo-errors.ts';
import type { StateRecord } from '../state/records.ts';
import { persistChanges, type OutboxPorts } from './outbox.ts';

/** First and longest wait before a monitor that was set aside is tried again. */
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 300_000;
/** Limit of changes that wait for one monitor; the journal has the others, for the next life of the shard. */
const MOST_WAITING = 1000;

export interface MonitorWritesDeps {
  clock: Clock;
  log: Log;
  stores: OutboxPorts;
  /** Called when a record and its effects are in the database. */
  onWritten(record: StateRecord): void;
}

interface Aside {
  /** In their order: a later state must not hide the effects of an earlier one. */
  waiting: StateRecord[];
  retryMs: number;
  timer: Timer | null;
  /** Something is missing behind what waits: the monitor is not written again in this life. */
  isCut: boolean;
}

/**
 * Writes changed states and their effects. A monitor whose write fails is set aside and retried by itself;
 * all others pass.
 */
export class MonitorWrites {
  readonly #deps: MonitorWritesDeps;
  readonly #aside = new Map<string, Aside>();
  readonly #written = new WeakSet<StateRecord>();
  #trying: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(deps: MonitorWritesDeps) {
    this.#deps = deps;
  }

  /** Monitors that are set aside. */
  get aside(): number {
    return this.#aside.size;
  }

  /** @throws Error when the database gives no answer: what was written is not written again by a repeat. */
  async write(records: StateRecord[]): Promise<void> {
    for (const record of records) this.#queueBehind(record);
    const free = records.filter((record) =>
      !this.#aside.has(record.monitor_id) && !this.#written.has(record));
    await writeAllOrEach(free, {
      write: (some) => this.#persist(some),
      isAboutItems: (error) => !isDatabaseUnavailable(error),
      setAside: (record, error) => this.#setAside(record, error),
    });
  }

  /** What could not be written by now is left to the next life of the shard. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { timer } of this.#aside.values()) timer?.cancel();
    await this.#trying;
  }

  async #persist(records: StateRecord[]): Promise<void> {
    await persistChanges(this.#deps.stores, records);
    for (const record of records) {
      this.#written.add(record);
      this.#deps.onWritten(record);
    }
  }

  #setAside(record: StateRecord, error: unknown): void {
    const { monitor_id: id } = record;
    this.#deps.log.error(
      { err: error, monitor: id }, 'could not write a monitor; it is retried separately',
    );
    const aside: Aside = { waiting: [record], retryMs: FIRST_RETRY_MS, timer: null, isCut: false };
    this.#aside.set(id, aside);
    this.#schedule(id, aside);
  }

  #queueBehind(record: StateRecord): void {
    const aside = this.#aside.get(record.monitor_id);
    if (!aside || aside.waiting.includes(record)) return;
    if (aside.waiting.length < MOST_WAITING) aside.waiting.push(record);
    else aside.isCut = true;
  }

  #schedule(id: string, aside: Aside): void {
    if (this.#isStopped) return;
    aside.timer = this.#deps.clock.setTimer(aside.retryMs, () => {
      this.#trying = Promise.all([this.#trying, this.#retry(id, aside)]).then(() => undefined);
    });
    aside.retryMs = Math.min(aside.retryMs * 2, LONGEST_RETRY_MS);
  }

  async #retry(id: string, aside: Aside): Promise<void> {
    try {
      for (let next = aside.waiting[0]; next && !this.#isStopped; next = aside.waiting[0]) {
        await this.#persist([next]);
        aside.waiting.shift();
      }
      if (aside.waiting.length === 0 && !aside.isCut) this.#aside.delete(id);
    } catch (error) {
      this.#deps.log.warn({ err: error, monitor: id }, 'still could not write a monitor');
      this.#schedule(id, aside);
    }
  }
}
