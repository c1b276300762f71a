import { Readable } from 'node:stream';
import { AppError } from '../../shared/errors.ts';
import type { Clock } from '../../shared/time.ts';

const LARGEST_BACKLOG = 512 * 1024;
/** How long a stream may outlive the session or key that opened it, ms. */
export const RECHECK_EVERY_MS = 10_000;
/** Checks in a row that may fail for lack of a database before the stream ends. */
const MOST_FAILURES = 6;

/** The body of an answer that lasts: server-sent events to one client, until either side ends it. */
export class EventStream extends Readable {
  readonly #largestBacklog: number;
  #isFinished = false;

  /** @param largestBacklog bytes that may wait for a slow client; beyond that it is disconnected */
  constructor(largestBacklog = LARGEST_BACKLOG) {
    super();
    this.#largestBacklog = largestBacklog;
  }

  /** False when the client is gone, or was disconnected because it does not read. */
  send(text: string): boolean {
    if (this.#isFinished || this.destroyed) return false;
    this.push(text);
    if (this.readableLength <= this.#largestBacklog) return true;
    this.destroy();
    return false;
  }

  /** Ends the answer after everything sent so far has arrived. */
  finish(): void {
    if (this.#isFinished || this.destroyed) return;
    this.#isFinished = true;
    this.push(null);
  }

  /** Calls `listener` once, when nothing can be sent any more. */
  onGone(listener: () => void): void {
    this.once('close', listener);
  }

  override _read(): void {
    // `send` pushes.
  }
}

/** Repeats `check`, and ends the stream when it throws an AppError: the caller has lost the right to it. */
export function guardStream(stream: EventStream, clock: Clock, check: () => Promise<unknown>): void {
  let isChecking = false;
  let failures = 0;
  const run = async () => {
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
  const timer = clock.setRepeating(RECHECK_EVERY_MS, () => void run());
  stream.onGone(() => timer.cancel());
}
