import type { Log } from './log.ts';
import type { Clock } from './time.ts';

/** While it lasts it is told this often, ms. */
const LOG_INTERVAL_MS = 60_000;
/** It is over after so long without it, ms: a disk that is nearly full takes some writes in between. */
const RECOVERED_AFTER_MS = 10_000;

interface OngoingFailureOptions {
  clock: Pick<Clock, 'monotonic'>;
  log: Log;
  level: 'warn' | 'error';
  /** What is logged of it, and once it is over. */
  message: string;
  recoveredMessage: string;
  /** Names the number that is logged with both. */
  countField: string;
}

/** Logs what fails again and again: when it begins, once a minute while it lasts, and when it is over. */
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

  /** It happened to `count` things. The line has their number since the last one. */
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

  /** What had failed works. The line has the number of all. */
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
