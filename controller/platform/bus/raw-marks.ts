import { subjects } from '../../../shared/contracts/subjects.ts';
import type { Clock } from '../../../shared/time.ts';
import type { NatsBus } from './bus.ts';

/** By then NATS has stored a published message, if it stores any. */
const STORED_WITHIN_MS = 10_000;
/** One mark may be lost with a connection or be late on a busy machine. */
const MAX_LOST_MARKS = 2;

/**
 * Detects whether the stream RAW still stores messages. After its disk was full, NATS silently stops storing.
 * A mark is a message that no subscriber receives.
 */
export class RawMarks {
  readonly #bus: Pick<NatsBus, 'publish'>;
  readonly #clock: Clock;
  /** The stream's last sequence before the latest mark, and when that was published, monotonic ms. */
  #latest: { after: number; at: number } | null = null;
  #lost = 0;

  constructor(bus: Pick<NatsBus, 'publish'>, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
  }

  /** Called when the connection or the stream has been replaced. */
  reset(): void {
    this.#latest = null;
    this.#lost = 0;
  }

  /**
   * Judges the latest mark by the stream's last sequence and publishes the next one. Returns whether the
   * stream still stores messages; null while that is uncertain.
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
