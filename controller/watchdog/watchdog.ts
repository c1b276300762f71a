import type { Log } from '../../shared/log.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { Poster } from '../platform/outbound/poster-port.ts';
import { PeriodicTask } from '../work/periodic-task.ts';

interface WatchdogDeps {
  poster: Poster;
  /** Checks of everything that alerting depends on. A rejected check counts as not working. */
  checks: { name: string; isWorking(): boolean | Promise<boolean> }[];
  url: string;
  intervalMs: number;
  clock: Clock;
  log: Log;
}

const TIMEOUT_MS = 10_000;
/** Short, because a call may be overdue after a restart. */
const FIRST_CALL_DELAY_MS = 2000;
/** How long a component may be silent and still count as working. */
const MAX_SILENCE_MS = 15_000;

/** Maximum silence of a component, ms. Short enough that calls stop within two intervals of its failure. */
export function silenceLimitMs(intervalMs: number): number {
  return Math.min(intervalMs, MAX_SILENCE_MS);
}

/**
 * A dead man's switch. Calls an external service at each interval while alerting works. The service notifies
 * people when the calls stop, because Farwatch may be unable to.
 */
export class Watchdog {
  readonly #deps: WatchdogDeps;
  readonly #stopped = new AbortController();
  readonly #task: PeriodicTask;
  #first: Timer | null = null;
  /** The last logged problem; null if there was none or it was resolved. */
  #logged: string | null = null;

  constructor(deps: WatchdogDeps) {
    this.#deps = deps;
    const { clock, intervalMs } = deps;
    this.#task = new PeriodicTask({
      clock,
      intervalMs,
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

  /** Aborts a call in progress. */
  stop(): void {
    this.#stopped.abort();
    this.#first?.cancel();
    void this.#task.stop();
  }

  /** Why the call was skipped or failed; null if it succeeded. */
  async #call(): Promise<string | null> {
    const broken = await this.#broken();
    if (broken.length > 0) return `not called because these are failing: ${broken.join(', ')}`;
    const { poster, url } = this.#deps;
    const outcome = await poster.post({
      caller: 'watchdog', url, method: 'GET', headers: { 'user-agent': 'Farwatch' }, body: null,
      timeoutMs: TIMEOUT_MS, signal: this.#stopped.signal,
    });
    if (outcome.kind === 'busy') return 'too many requests are in progress';
    if (outcome.kind !== 'responded') return outcome.reason;
    return outcome.status < 300 ? null : `responded with status ${outcome.status}`;
  }

  /** Names of the failing checks. */
  async #broken(): Promise<string[]> {
    const outcomes = await Promise.allSettled(this.#deps.checks.map(async (check) => check.isWorking()));
    const isWorking = outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value);
    return this.#deps.checks.filter((_, index) => !isWorking[index]).map((check) => check.name);
  }

  /** Logs each change once. The URL is secret, so it is not logged. */
  #report(problem: string | null): void {
    if (problem === this.#logged || this.#stopped.signal.aborted) return;
    this.#logged = problem;
    if (problem === null) this.#deps.log.info('the watchdog is reachable again');
    else this.#deps.log.warn({ reason: problem }, 'could not reach the watchdog');
  }
}
