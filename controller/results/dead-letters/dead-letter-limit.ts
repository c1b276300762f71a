import type { DeadLetter } from './dead-letter.ts';

/** Dead letters kept per sender and hour. */
const MAX_LETTERS_PER_HOUR = 2000;
const HOUR_MS = 3_600_000;
/** Senders remembered; beyond it, those whose hour is over are dropped. */
const MAX_SENDERS = 1000;

/**
 * Keeps one sender of garbage from filling the database: the first 2,000 dead letters of a probe and hour are
 * kept, the rest only counted. The journal records which results were refused in any case.
 */
export class DeadLetterLimit {
  readonly #senders = new Map<string, { since: number; admitted: number }>();
  readonly #decided = new WeakMap<DeadLetter, boolean>();
  /** Dead letters not kept since the start. */
  omitted = 0;

  /** The `letters` to keep. Each object is judged once, so that a failed write can be repeated. */
  admit(letters: DeadLetter[], monotonicNow: number): DeadLetter[] {
    return letters.filter((letter) => {
      const decision = this.#decided.get(letter);
      if (decision !== undefined) return decision;
      const isAdmitted = this.#isWithin(letter.probe_id, monotonicNow);
      this.#decided.set(letter, isAdmitted);
      if (!isAdmitted) this.omitted += 1;
      return isAdmitted;
    });
  }

  #isWithin(sender: string, now: number): boolean {
    let window = this.#senders.get(sender);
    if (!window || now - window.since >= HOUR_MS) {
      if (this.#senders.size >= MAX_SENDERS) this.#forget(now);
      window = { since: now, admitted: 0 };
      this.#senders.set(sender, window);
    }
    if (window.admitted >= MAX_LETTERS_PER_HOUR) return false;
    window.admitted += 1;
    return true;
  }

  #forget(now: number): void {
    for (const [sender, window] of this.#senders) {
      if (now - window.since >= HOUR_MS) this.#senders.delete(sender);
    }
  }
}
