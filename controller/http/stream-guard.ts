import { AppError } from '../../shared/errors.ts';
import type { Clock } from '../../shared/time.ts';
import type { EventStream } from './event-stream.ts';

/** So late is a revoked session or key noticed by a stream that it opened, ms. */
export const RECHECK_EVERY_MS = 10_000;
/** A database that is away for longer than these checks ends streams too. */
const MOST_FAILURES = 6;

/** Asks again and again whether the caller may still have the stream, and ends it when `check` throws an AppError. */
export function guardStream(stream: EventStream, clock: Clock, check: () => Promise<unknown>): void {
  let isChecking = false;
  let failures = 0;
  const look = async () => {
    if (isChecking) return;
    isChecking = true;
    try {
      await check();
      failures = 0;
    } catch (error) {
      failures += 1;
      if (error instanceof AppError || failures >= MOST_FAILURES) stream.finish();
    }
    isChecking = false;
  };
  const timer = clock.setRepeating(RECHECK_EVERY_MS, () => void look());
  stream.onGone(() => timer.cancel());
}
