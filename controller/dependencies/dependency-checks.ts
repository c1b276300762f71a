import PQueue from 'p-queue';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import { MAX_CHECK_MS } from './dependency-rules.ts';

/** Checks that run concurrently. Alerts that wait for the others are sent after a minute at the latest. */
const MAX_CONCURRENT = 32;
/** Between two checks of a dependency whose failure is to be confirmed, ms. */
const PAUSE_MS = 1000;
/** Ended checks, and alerts, remembered. What is forgotten is checked again. */
const MAX_REMEMBERED = 20_000;

/** Monotonic times, ms. */
interface EndedCheck {
  startedAtMs: number;
  endedAtMs: number;
  hasFailed: boolean;
}

interface DependencyChecksDeps {
  /** Checks the monitor now, in all its regions. True if it may be down, but its policy wants rechecks. */
  check(monitorId: string): Promise<boolean>;
  /** Called with the alerts that waited for a check which has ended. */
  onEnded(alertIds: Iterable<string>): void;
  clock: Clock;
  log: Log;
}

/** Checks dependencies at once. Alerts that are held at the same time share a check. */
export class DependencyChecks {
  readonly #deps: DependencyChecksDeps;
  readonly #queue = new PQueue({ concurrency: MAX_CONCURRENT });
  readonly #running = new Set<string>();
  readonly #ended = new Map<string, EndedCheck>();
  /** Alerts that wait for a check, by dependency. */
  readonly #waiting = new Map<string, Set<string>>();
  /** When each alert was first seen here, monotonic ms. A check must begin later to say anything about it. */
  readonly #firstSeenMs = new Map<string, number>();

  constructor(deps: DependencyChecksDeps) {
    this.#deps = deps;
  }

  /**
   * Whether the alert waits for a check of the dependency: one that is still to end or has failed. Starts a
   * check if there was none, and again while checks fail, if `isToConfirm`. False after a minute.
   */
  isUnderCheck(alertId: string, dependencyId: string, isToConfirm: boolean): boolean {
    const nowMs = this.#deps.clock.monotonic();
    const sinceMs = this.#firstSeenMs.get(alertId) ?? nowMs;
    remember(this.#firstSeenMs, alertId, sinceMs);
    if (nowMs - sinceMs >= MAX_CHECK_MS) return false;
    const ended = this.#ended.get(dependencyId);
    const isCurrent = ended !== undefined && ended.startedAtMs >= sinceMs;
    const isRunning = this.#running.has(dependencyId);
    if (!isRunning && isCurrent && !ended.hasFailed) return false;
    const isPaused = isCurrent && (!isToConfirm || nowMs - ended.endedAtMs < PAUSE_MS);
    if (!isRunning && !isPaused) this.#start(dependencyId);
    const waiting = this.#waiting.get(dependencyId);
    if (waiting) waiting.add(alertId);
    else this.#waiting.set(dependencyId, new Set([alertId]));
    return true;
  }

  /** The alert waits for no check any more. */
  forget(alertId: string): void {
    this.#firstSeenMs.delete(alertId);
  }

  /** Starts no more checks. */
  stop(): void {
    this.#queue.pause();
    this.#queue.clear();
  }

  #start(dependencyId: string): void {
    this.#running.add(dependencyId);
    void this.#queue.add(async () => {
      const { clock, onEnded } = this.#deps;
      const startedAtMs = clock.monotonic();
      const hasFailed = await this.#check(dependencyId);
      this.#running.delete(dependencyId);
      this.#ended.delete(dependencyId);
      remember(this.#ended, dependencyId, { startedAtMs, endedAtMs: clock.monotonic(), hasFailed });
      const waiting = this.#waiting.get(dependencyId) ?? [];
      this.#waiting.delete(dependencyId);
      onEnded(waiting);
    });
  }

  async #check(dependencyId: string): Promise<boolean> {
    try {
      return await this.#deps.check(dependencyId);
    } catch (error) {
      this.#deps.log.warn({ err: error, monitor: dependencyId }, 'could not check a dependency');
      return false;
    }
  }
}

function remember<T>(values: Map<string, T>, id: string, value: T): void {
  values.set(id, value);
  if (values.size > MAX_REMEMBERED) values.delete(values.keys().next().value as string);
}
