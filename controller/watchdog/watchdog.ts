import type { Log } from '../../shared/log.ts';
import { PeriodicTask } from '../../shared/periodic-task.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { Poster } from '../platform/outbound/poster-port.ts';

interface WatchdogDeps {
  poster: Poster;
  /** What alerts need; a check that rejects counts as not working. */
  checks: { name: string; isWorking(): boolean | Promise<boolean> }[];
  url: string;
  intervalMs: number;
  clock: Clock;
  log: Log;
}

const TIMEOUT_MS = 10_000;
/** The first call does not wait for a whole interval: some may be overdue after a restart. */
const FIRST_CALL_DELAY_MS = 2000;
/** How long something may be silent and still count as working; less where the interval is shorter. */
const MAX_SILENCE_MS = 15_000;

/** How long ago something may last have worked, ms: calls then stop within two intervals of its end. */
export function silenceLimitMs(intervalMs: number): number {
  return Math.min(intervalMs, MAX_SILENCE_MS);
}

/**
 * A dead man's switch: calls an outside address at each interval while everything that alerts need works.
 * When the calls end, the outside alerts people, since we may be unable to.
 */
export class Watchdog {
  readonly #deps: WatchdogDeps;
  readonly #stopped = new AbortController();
  readonly #task: PeriodicTask;
  #first: Timer | null = null;
  /** What was last logged; null: that all is well. */
  #logged: string | null = null;

  constructor(deps: WatchdogDeps) {
    this.#deps = deps;
    const { clock, intervalMs } = deps;
    this.#task = new PeriodicTask({
      clock,
      intervalMs: intervalMs,
      task: async () => this.#report(await this.#call()),
      onError: (error) => deps.log.error({ err: error }, 'the watchdog failed'),
    });
  }

  start(): void {
    const { clock, intervalMs } = this.#deps;
    this.#first = clock.setTimer(Math.min(FIRST_CALL_DELAY_MS, intervalMs), () => {
      this.#task.start();
      this.#task.trigger();
    });
  }

  /** Breaks off a call under way. */
  stop(): void {
    this.#stopped.abort();
    this.#first?.cancel();
    void this.#task.stop();
  }

  /** Why the address was not reached; null when it was. */
  async #call(): Promise<string | null> {
    const broken = await this.#broken();
    if (broken.length > 0) return `not called because these are failing: ${broken.join(', ')}`;
    const { poster, url } = this.#deps;
    const outcome = await poster.post({
      caller: 'watchdog', url, method: 'GET', headers: { 'user-agent': 'Farwatch' }, body: null, timeoutMs: TIMEOUT_MS,
      signal: this.#stopped.signal,
    });
    if (outcome.kind === 'busy') return 'too many requests are in progress';
    if (outcome.kind !== 'responded') return outcome.reason;
    return outcome.status < 300 ? null : `responded with status ${outcome.status}`;
  }

  /** Names of the checks that fail. */
  async #broken(): Promise<string[]> {
    const outcomes = await Promise.allSettled(this.#deps.checks.map(async (check) => check.isWorking()));
    const isWorking = outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value);
    return this.#deps.checks.filter((_, index) => !isWorking[index]).map((check) => check.name);
  }

  /** Logs each change once. The address is itself a secret and stays out of the log. */
  #report(problem: string | null): void {
    if (problem === this.#logged || this.#stopped.signal.aborted) return;
    this.#logged = problem;
    if (problem === null) this.#deps.log.info('the watchdog is reachable again');
    else this.#deps.log.warn({ reason: problem }, 'could not reach the watchdog');
  }
}
