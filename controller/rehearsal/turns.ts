import type { Clock } from '../../shared/time.ts';
import { AppError } from '../errors/app-error.ts';

/** Maximum work before yielding to the event loop, ms. */
const SLICE_MS = 10;

/** Divides long work into slices, and ends it when the client is gone. */
export class Turns {
  readonly #clock: Clock;
  readonly #isClientGone: () => boolean;
  #since: number;

  constructor(clock: Clock, isClientGone: () => boolean) {
    this.#clock = clock;
    this.#isClientGone = isClientGone;
    this.#since = clock.monotonic();
  }

  /** Whether `pass` should be called. */
  get isDue(): boolean {
    return this.#clock.monotonic() - this.#since >= SLICE_MS;
  }

  /** Throws SERVICE_UNAVAILABLE if the client is gone. */
  async pass(): Promise<void> {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    if (this.#isClientGone()) throw new AppError('SERVICE_UNAVAILABLE', 'The client closed the connection');
    this.#since = this.#clock.monotonic();
  }
}
