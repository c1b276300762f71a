import type { DeadLetter } from './dead-letter.ts';

/** Most dead letters of one sender that are kept in an hour. */
const LETTERS_PER_HOUR = 2000;
const HOUR_MS = 3_600_000;
/** Senders that are remembered; beyond it those whose hour is over are forgotten. */
const SENDERS = 1000;

/**
 * Keeps one sender of rubbish from filling the database: of each probe, the first 2,000 dead letters of an hour are kept
 * and the rest only counted. What they were about is told by the refused ranges of the journal all the same.
 */
export class DeadLetterLimit {
  readonly #senders = new Map<string, { since: number; kept: number }>();
  readonly #decided = new WeakMap<DeadLetter, boolean>();
  /** Letters that were not kept, since the start. */
  omitted = 0;

  /** Those of `letters` to be kept. The same object is judged once, so that a write may be repeated. */
  admit(letters: DeadLetter[], monotonicNow: number): DeadLetter[] {
    return letters.filter((letter) => {
      const known = this.#decided.get(letter);
      if (known !== undefined) return known;
      const isKept = this.#isWithin(letter.probe_id, monotonicNow);
      this.#decided.set(letter, isKept);
      if (!isKept) this.omitted += 1;
      return isKept;
    });
  }

  #isWithin(sender: string, now: number): boolean {
    let window = this.#senders.get(sender);
    if (!window || now - window.since >= HOUR_MS) {
      if (this.#senders.size >= SENDERS) this.#forget(now);
      window = { since: now, kept: 0 };
      this.#senders.set(sender, window);
    }
    if (window.kept >= LETTERS_PER_HOUR) return false;
    window.kept += 1;
    return true;
  }

  #forget(now: number): void {
    for (const [sender, window] of this.#senders) if (now - window.since >= HOUR_MS) this.#senders.delete(sender);
  }
}
