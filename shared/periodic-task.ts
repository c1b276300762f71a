import type { Peers } from './peers.ts';
import type { Clock, Timer } from './time.ts';

/** From a quiet round to the next while this controller is alone and all changes are its own. */
export const ONLY_CONTROLLER_INTERVAL_MS = 60_000;

interface PeriodicTaskDeps {
  clock: Clock;
  intervalMs: number;
  /** The first run is at the start, not one interval after it. */
  runsAtStart?: boolean;
  /** For rounds whose work is announced: the time from a round that was `quiet` to the next, ms. */
  idleIntervalMs?: number;
  /** While this controller is alone, the next round after a quiet one waits for a minute. */
  peers?: Peers;
  /** Resolves to true when there is more to do at once, and to `quiet` when the next round can wait. */
  task(): Promise<boolean | void | 'idle'>;
  onError(error: unknown): void;
}

/** Makes a round again and again, and in between when asked; never two at once. */
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

  /** Looks now; while a round is under way, once more after it. */
  trigger(): void {
    this.run().catch(() => undefined);
  }

  /** Looks within a period at the latest: there may be something that no round has seen. */
  triggerWithinInterval(): void {
    this.#isWorkExpected = true;
    if (this.#timer && this.#delayMs > this.#deps.intervalMs) this.#schedule(this.#deps.intervalMs);
  }

  /** Resolves after a round that began after this call, or rejects with its error. Callers share a round. */
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

  /** Ends with the round that is under way; none begins any more. */
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
      if (idleIntervalMs !== undefined && this.#timer) this.#schedule(this.#nextDelayMs(outcome === 'idle', idleIntervalMs));
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
