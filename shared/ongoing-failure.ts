import type { Log } from './log.ts';
import type { Clock } from './time.ts';

/** Logged at most this often while it lasts. */
const LOG_INTERVAL_MS = 60_000;
/** Recovered after this long without a failure: a nearly full disk still accepts occasional writes. */
const RECOVERED_AFTER_MS = 10_000;

interface OngoingFailureOptions {
  clock: Pick<Clock, 'monotonic'>;
  log: Log;
  level: 'warn' | 'error';
  /** Logged during the failure, and after recovery. */
  message: string;
  recoveredMessage: string;
  /** Name of the log field for the count in both. */
  countField: string;
}

/** Logs a recurring failure when it starts, once a minute while it lasts, and on recovery. */
export class OngoingFailure {
  readonly #options: OngoingFailureOptions;
  #sinceMono: number | null = null;
  #latestMono = 0;
  #loggedMono = 0;
  #totalCount = 0;
  #unloggedCount = 0;

  constructor(options: OngoingFailureOptions) {
    this.#options = options;
  }

  /** Records `count` failures. The log line has their number since the previous line. */
  record(facts: object, count = 1): void {
    const { clock, log, level, message, countField } = this.#options;
    const nowMono = clock.monotonic();
    this.#latestMono = nowMono;
    this.#totalCount += count;
    this.#unloggedCount += count;
    if (this.#sinceMono !== null && nowMono - this.#loggedMono < LOG_INTERVAL_MS) return;
    this.#sinceMono ??= nowMono;
    this.#loggedMono = nowMono;
    log[level]({ ...facts, [countField]: this.#unloggedCount }, message);
    this.#unloggedCount = 0;
  }

  /** Records a success. The log line has the total number of failures. */
  recovered(): void {
    const { clock, log, recoveredMessage, countField } = this.#options;
    const nowMono = clock.monotonic();
    if (this.#sinceMono === null || nowMono - this.#latestMono < RECOVERED_AFTER_MS) return;
    const lastedS = Math.round((this.#latestMono - this.#sinceMono) / 1000);
    log.info({ lasted_s: lastedS, [countField]: this.#totalCount }, recoveredMessage);
    this.#sinceMono = null;
    this.#totalCount = 0;
    this.#unloggedCount = 0;
  }
}
