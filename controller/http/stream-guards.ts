import { AppError } from '../../shared/errors.ts';
import { Rounds } from '../../shared/rounds.ts';
import type { Clock } from '../../shared/time.ts';
import type { EventStream } from './event-stream.ts';

/** How long a stream may outlive the key or membership that opened it, ms. */
export const RECHECK_EVERY_MS = 10_000;
/** Checks in a row that may fail for lack of a database before the stream ends. */
const MOST_FAILURES = 6;

/** Ends open streams whose callers lose the right to them. */
export class StreamGuards {
  readonly #clock: Clock;
  /** The repeated checks of open streams, by the user behind the caller. */
  readonly #ofUsers = new Map<string, Set<Rounds>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Repeats `check`, and ends the stream when it throws an AppError: the caller has lost the right to it. */
  guard(stream: EventStream, userId: string, check: () => Promise<unknown>): void {
    let failures = 0;
    const checks = new Rounds({
      clock: this.#clock,
      everyMs: RECHECK_EVERY_MS,
      round: async () => {
        await check();
        failures = 0;
      },
      onFailed: (error) => {
        failures += 1;
        if (error instanceof AppError || failures >= MOST_FAILURES) stream.finish();
      },
    });
    this.#add(userId, checks);
    checks.start();
    // The right may have been lost since the request was authorized.
    checks.look();
    stream.onGone(() => {
      this.#remove(userId, checks);
      void checks.stop();
    });
  }

  /** Checks now whether the user's streams may go on. */
  recheck(userId: string): void {
    for (const checks of this.#ofUsers.get(userId) ?? []) checks.look();
  }

  #add(userId: string, checks: Rounds): void {
    const known = this.#ofUsers.get(userId) ?? new Set();
    this.#ofUsers.set(userId, known.add(checks));
  }

  #remove(userId: string, checks: Rounds): void {
    const known = this.#ofUsers.get(userId);
    known?.delete(checks);
    if (known?.size === 0) this.#ofUsers.delete(userId);
  }
}
