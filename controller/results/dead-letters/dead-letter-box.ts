import type { Log } from '../../../shared/log.ts';
import type { Clock, Timer } from '../../../shared/time.ts';
import { isPermanentlyRefused, writeAllOrEach } from '../../platform/mongo/mongo-errors.ts';
import type { DeadLetter, DeadLetterReason } from './dead-letter.ts';
import { DeadLetterLimit } from './dead-letter-limit.ts';
import type { DeadLetterStore } from './dead-letter-store.ts';

/** Dead letters per command. */
const BATCH_SIZE = 500;
/** Limit of queued dead letters. Further ones are counted but not stored. */
const MAX_WAITING = 10_000;
const RETRY_MS = 1000;

export interface DeadLetterBoxDeps {
  store: Pick<DeadLetterStore, 'add'>;
  clock: Clock;
  log: Log;
}

/** Stores dead letters in batches, and retries if the database does not respond. */
export class DeadLetterBox {
  readonly #deps: DeadLetterBoxDeps;
  readonly #limit = new DeadLetterLimit();
  /** Dead letters so far, stored or not. */
  count = 0;
  readonly #byReason = new Map<DeadLetterReason, number>();
  #waiting: DeadLetter[] = [];
  #overflowed = 0;
  #refused = 0;
  #writing: Promise<void> | null = null;
  #retry: Timer | null = null;

  constructor(deps: DeadLetterBoxDeps) {
    this.#deps = deps;
  }

  /** Dead letters not stored: too many were queued, or the database refused them. */
  get omitted(): number {
    return this.#limit.omitted + this.#overflowed + this.#refused;
  }

  /** Dead letters with that reason so far, stored or not. */
  countOf(reason: DeadLetterReason): number {
    return this.#byReason.get(reason) ?? 0;
  }

  /** Queues letters for storage in the background. */
  put(letters: DeadLetter[]): void {
    this.#count(letters);
    const admitted = this.#limit.admit(letters, this.#deps.clock.monotonic());
    const room = Math.max(0, MAX_WAITING - this.#waiting.length);
    this.#waiting.push(...admitted.slice(0, room));
    this.#overflowed += Math.max(0, admitted.length - room);
    this.#start();
  }

  /** Stores letters now. Rejects if the database does not accept them; may be repeated with the same ones. */
  async storeNow(letters: DeadLetter[]): Promise<void> {
    const admitted = this.#limit.admit(letters, this.#deps.clock.monotonic());
    if (admitted.length > 0) await this.#add(admitted);
    this.#count(letters);
  }

  /** Retries once to store what is queued. */
  async stop(): Promise<void> {
    this.#cancelRetry();
    this.#start();
    while (this.#writing) await this.#writing;
    this.#cancelRetry();
  }

  #count(letters: DeadLetter[]): void {
    this.count += letters.length;
    for (const { reason } of letters) this.#byReason.set(reason, this.countOf(reason) + 1);
  }

  #add(letters: DeadLetter[]): Promise<void> {
    const { store, log } = this.#deps;
    return writeAllOrEach(letters, {
      write: (some) => store.add(some),
      isAboutItems: isPermanentlyRefused,
      setAside: ({ id }, error) => {
        this.#refused += 1;
        log.error({ err: error, letter_id: id }, 'the database rejected a dead letter, which is lost');
      },
    });
  }

  #cancelRetry(): void {
    this.#retry?.cancel();
    this.#retry = null;
  }

  #start(): void {
    if (this.#writing || this.#retry || this.#waiting.length === 0) return;
    this.#writing = this.#write().finally(() => {
      this.#writing = null;
      this.#start();
    });
  }

  async #write(): Promise<void> {
    const { clock, log } = this.#deps;
    const part = this.#waiting.slice(0, BATCH_SIZE);
    try {
      await this.#add(part);
      this.#waiting = this.#waiting.slice(part.length);
    } catch (error) {
      log.warn(
        { err: error, waiting: this.#waiting.length }, 'could not store dead letters; will retry',
      );
      this.#retry = clock.setTimer(RETRY_MS, () => {
        this.#retry = null;
        this.#start();
      });
    }
  }
}
