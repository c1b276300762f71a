import type { Log } from './log.ts';
import type { Clock } from './time.ts';

/** While it lasts it is told this often, ms. */
const TELL_EVERY_MS = 60_000;
/** It is over after so long without it, ms: a disk that is nearly full takes some writes in between. */
const OVER_AFTER_MS = 10_000;

interface TroubleOptions {
  clock: Pick<Clock, 'monotonic'>;
  log: Log;
  level: 'warn' | 'error';
  /** What is logged of it, and once it is over. */
  text: string;
  over: string;
  /** Names the number that is logged with both. */
  counted: string;
}

/** Logs what fails again and again: when it begins, once a minute while it lasts, and when it is over. */
export class LastingTrouble {
  readonly #options: TroubleOptions;
  #sinceMono: number | null = null;
  #latestMono = 0;
  #toldMono = 0;
  #count = 0;
  #untold = 0;

  constructor(options: TroubleOptions) {
    this.#options = options;
  }

  /** It happened to `count` things. The line has their number since the last one. */
  met(facts: object, count = 1): void {
    const { clock, log, level, text, counted } = this.#options;
    const nowMono = clock.monotonic();
    this.#latestMono = nowMono;
    this.#count += count;
    this.#untold += count;
    if (this.#sinceMono !== null && nowMono - this.#toldMono < TELL_EVERY_MS) return;
    this.#sinceMono ??= nowMono;
    this.#toldMono = nowMono;
    log[level]({ ...facts, [counted]: this.#untold }, text);
    this.#untold = 0;
  }

  /** What had failed works. The line has the number of all. */
  passed(): void {
    const { clock, log, over, counted } = this.#options;
    const nowMono = clock.monotonic();
    if (this.#sinceMono === null || nowMono - this.#latestMono < OVER_AFTER_MS) return;
    const lastedS = Math.round((this.#latestMono - this.#sinceMono) / 1000);
    log.info({ lasted_s: lastedS, [counted]: this.#count }, over);
    this.#sinceMono = null;
    this.#count = 0;
    this.#untold = 0;
  }
}
