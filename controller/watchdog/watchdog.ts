import type { Log } from '../../shared/log.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { Poster } from '../platform/outbound/poster-port.ts';

export interface WatchdogDeps {
  poster: Poster;
  /** What has to work for alerts to go out; a check that rejects does not work. */
  checks: { name: string; isWorking(): boolean | Promise<boolean> }[];
  url: string;
  intervalMs: number;
  clock: Clock;
  log: Log;
}

const TIMEOUT_MS = 10_000;
/** The first call need not wait for a whole interval: whoever listens has missed some while we were started. */
const FIRST_AFTER_MS = 2000;
/** Longest a part may have been silent and still count as working; less where the interval is shorter. */
const LONGEST_SILENCE_MS = 15_000;

/** How long ago a part may last have worked, ms, so that the calls stop within two intervals of its end. */
export function silenceLimitMs(intervalMs: number): number {
  return Math.min(intervalMs, LONGEST_SILENCE_MS);
}

/**
 * A dead man's switch: calls an outside address each interval, and does not while something that alerts need has stopped.
 * Whoever is called tells people when the calls end, since we may be in no state to.
 */
export class Watchdog {
  readonly #deps: WatchdogDeps;
  readonly #stopped = new AbortController();
  #timer: Timer | null = null;
  /** What the log was last told; null: that all is well. */
  #told: string | null = null;

  constructor(deps: WatchdogDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#plan(Math.min(FIRST_AFTER_MS, this.#deps.intervalMs));
  }

  /** Breaks off what is under way. */
  stop(): void {
    this.#stopped.abort();
    this.#timer?.cancel();
  }

  #plan(delayMs: number): void {
    const { clock, intervalMs } = this.#deps;
    this.#timer = clock.setTimer(delayMs, () => {
      const startedAt = clock.monotonic();
      void this.#call().then(() => {
        if (!this.#stopped.signal.aborted) this.#plan(Math.max(0, intervalMs - (clock.monotonic() - startedAt)));
      });
    });
  }

  async #call(): Promise<void> {
    const { poster, url } = this.#deps;
    const broken = await this.#broken();
    if (broken.length > 0) return this.#tell(`not called, since this does not work: ${broken.join(', ')}`);
    if (this.#stopped.signal.aborted) return;
    const outcome = await poster.post({ url, method: 'GET', headers: { 'user-agent': 'Farwatch' }, body: null, timeoutMs: TIMEOUT_MS, signal: this.#stopped.signal });
    if (outcome.kind === 'answered') return this.#tell(outcome.status < 300 ? null : `answered with status ${outcome.status}`);
    this.#tell(outcome.kind === 'busy' ? 'too much is under way' : outcome.reason);
  }

  async #broken(): Promise<string[]> {
    const { checks } = this.#deps;
    const outcomes = await Promise.all(checks.map(async (check) => {
      try {
        return await check.isWorking();
      } catch {
        return false;
      }
    }));
    return checks.filter((_, index) => !outcomes[index]).map((check) => check.name);
  }

  /** Once for each change. The address is a secret of its own, and stays out of the log. */
  #tell(problem: string | null): void {
    if (problem === this.#told || this.#stopped.signal.aborted) return;
    this.#told = problem;
    if (problem === null) this.#deps.log.info('the watchdog is called again');
    else this.#deps.log.warn({ reason: problem }, 'the watchdog was not reached');
  }
}
