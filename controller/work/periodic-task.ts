import type { Clock, Timer } from '../../shared/time.ts';
import type { Peers } from './peers.ts';

/** Poll interval when this is the only controller and the last poll found nothing. */
export const ONLY_CONTROLLER_INTERVAL_MS = 60_000;

interface PeriodicTaskDeps {
  clock: Clock;
  intervalMs: number;
  /** The first run is at the start, not one interval after it. */
  runsAtStart?: boolean;
  /** For tasks triggered by notifications: the interval after an `idle` run, ms. */
  idleIntervalMs?: number;
  /** If this is the only controller, the run after an `idle` one waits ONLY_CONTROLLER_INTERVAL_MS. */
  peers?: Peers;
  /** Resolves to true if more work is due immediately, and to `idle` if the next run can wait. */
  task(): Promise<boolean | void | 'idle'>;
  onError(error: unknown): void;
}

/** Runs a task periodically and on demand; never two runs at once. */
export class PeriodicTask {
  readonly #deps: PeriodicTaskDeps;
  #timer: Timer | null = null;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #delayMs = 0;
  #isWorkExpected = false;
  #isStopped = false;

  constructor(deps: PeriodicTaskDeps) {
    this.#deps = deps;
    deps.peers?.onPollNeeded(() => {
      if (this.#timer) this.trigger();
    });
  }

  /** The first run is due after one interval, unless the task runs at its start. */
  start(): void {
    this.#schedule(this.#deps.intervalMs);
    if (this.#deps.runsAtStart) this.trigger();
  }

  /** Runs now, or once more after the current run. */
  trigger(): void {
    this.run().catch(() => undefined);
  }

  /** Runs within one interval: there may be work that no run has seen. */
  triggerWithinInterval(): void {
    this.#isWorkExpected = true;
    if (this.#timer && this.#delayMs > this.#deps.intervalMs) this.#schedule(this.#deps.intervalMs);
  }

  /** Resolves after a run that started after this call, or rejects with its error. Callers share a run. */
  run(): Promise<void> {
    if (this.#next) return this.#next;
    if (!this.#running) return this.#begin();
    this.#next = this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        return this.#begin();
      });
    return this.#next;
  }

  /** Waits for the current run and prevents further ones. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#running?.catch(() => undefined);
  }

  #begin(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    this.#running = this.#runTask();
    return this.#running;
  }

  async #runTask(): Promise<void> {
    const { idleIntervalMs, task, onError } = this.#deps;
    let outcome: boolean | void | 'idle' = false;
    this.#isWorkExpected = false;
    try {
      outcome = await task();
    } catch (error) {
      onError(error);
      throw error;
    } finally {
      this.#running = null;
      if (idleIntervalMs !== undefined && this.#timer) {
        this.#schedule(this.#nextDelayMs(outcome === 'idle', idleIntervalMs));
      }
      if (outcome === true) this.trigger();
    }
  }

  #nextDelayMs(isIdle: boolean, idleIntervalMs: number): number {
    if (!isIdle || this.#isWorkExpected) return this.#deps.intervalMs;
    return this.#deps.peers?.isOnlyController ? ONLY_CONTROLLER_INTERVAL_MS : idleIntervalMs;
  }

  #schedule(delayMs: number): void {
    const { clock, intervalMs } = this.#deps;
    this.#timer?.cancel();
    this.#delayMs = delayMs;
    if (this.#isStopped) return;
    this.#timer = clock.setTimer(delayMs, () => {
      this.#schedule(intervalMs);
      this.trigger();
    }, true);
  }
}
