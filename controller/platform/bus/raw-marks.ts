import { subjects } from '../../../shared/contracts/subjects.ts';
import type { Clock } from '../../../shared/time.ts';
import type { NatsBus } from './bus.ts';

/** NATS has stored by then what was published, if it stores anything. */
const STORED_WITHIN_MS = 10_000;
/** One may be lost with a connection, or be slow on a busy machine. */
const MAX_LOST_MARKS = 2;

/**
 * Finds out whether the stream RAW still stores what is published. Once its disk was full, NATS stores
 * nothing more in it and does not say so. A mark is a message that no subscriber receives.
 */
export class RawMarks {
  readonly #bus: Pick<NatsBus, 'publish'>;
  readonly #clock: Clock;
  /** The stream's last number before the latest mark, and when that was published, monotonic ms. */
  #latest: { after: number; at: number } | null = null;
  #lost = 0;

  constructor(bus: Pick<NatsBus, 'publish'>, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
  }

  /** Nothing is known any more: the connection or the stream is another one. */
  reset(): void {
    this.#latest = null;
    this.#lost = 0;
  }

  /**
   * Judges by the stream's last number, and publishes the next mark: whether it stores anything; null while
   * that is in doubt.
   */
  check(last: number): boolean | null {
    const now = this.#clock.monotonic();
    const isStored = this.#latest === null || last > this.#latest.after;
    if (!isStored && now - (this.#latest?.at ?? 0) < STORED_WITHIN_MS) return null;
    this.#lost = isStored ? 0 : this.#lost + 1;
    if (this.#lost === MAX_LOST_MARKS) return false;
    this.#bus.publish(subjects.rawMark, '');
    this.#latest = { after: last, at: now };
    return isStored || null;
  }
}
