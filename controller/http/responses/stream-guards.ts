import type { Clock } from '../../../shared/time.ts';
import { AppError } from '../../errors/app-error.ts';
import { PeriodicTask } from '../../work/periodic-task.ts';
import type { EventStream } from './event-stream.ts';

/** How long a stream may outlive the key or membership that opened it. */
export const RECHECK_INTERVAL_MS = 10_000;
/** Consecutive checks that may fail because the database is unavailable before the stream ends. */
const MAX_FAILURES = 6;

/** Closes open streams whose callers have lost access. */
export class StreamGuards {
  readonly #clock: Clock;
  /** Periodic checks of open streams by user id. */
  readonly #checksByUser = new Map<string, Set<PeriodicTask>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Repeats `check` and closes the stream when it throws an AppError: the caller has lost access. */
  guard(stream: EventStream, userId: string, check: () => Promise<unknown>): void {
    let failures = 0;
    const checks = new PeriodicTask({
      clock: this.#clock,
      intervalMs: RECHECK_INTERVAL_MS,
      task: async () => {
        await check();
        failures = 0;
      },
      onError: (error) => {
        failures += 1;
        if (error instanceof AppError || failures >= MAX_FAILURES) stream.finish();
      },
    });
    this.#add(userId, checks);
    checks.start();
    // Access may have been lost since the request was authorized.
    checks.trigger();
    stream.onClose(() => {
      this.#remove(userId, checks);
      void checks.stop();
    });
  }

  /** Checks all streams of the user at once. */
  recheck(userId: string): void {
    for (const checks of this.#checksByUser.get(userId) ?? []) checks.trigger();
  }

  #add(userId: string, checks: PeriodicTask): void {
    const userChecks = this.#checksByUser.get(userId) ?? new Set();
    this.#checksByUser.set(userId, userChecks.add(checks));
  }

  #remove(userId: string, checks: PeriodicTask): void {
    const userChecks = this.#checksByUser.get(userId);
    userChecks?.delete(checks);
    if (userChecks?.size === 0) this.#checksByUser.delete(userId);
  }
}
