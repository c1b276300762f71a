import type { DeadLetter } from './dead-letter.ts';

/** Dead letters stored per sender and hour. */
const MAX_LETTERS_PER_HOUR = 2000;
const HOUR_MS = 3_600_000;
/** Senders remembered. Beyond it, those whose hour is over are dropped. */
const MAX_SENDERS = 1000;

/**
 * Prevents a broken sender from filling the database: stores a probe's first 2,000 dead letters per hour and
 * counts the rest. The journal records refused results in any case.
 */
export class DeadLetterLimit {
  readonly #senders = new Map<string, { since: number; admitted: number }>();
  readonly #decided = new WeakMap<DeadLetter, boolean>();
  /** Dead letters not stored since the start. */
  omitted = 0;

  /**
   * The letters to store. The decision for each object is remembered, so that a failed write can be repeated.
   */
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
      if (this.#senders.size >= MAX_SENDERS) this.#evict(now);
      window = { since: now, admitted: 0 };
      this.#senders.set(sender, window);
    }
    if (window.admitted >= MAX_LETTERS_PER_HOUR) return false;
    window.admitted += 1;
    return true;
  }

  #evict(now: number): void {
    for (const [sender, window] of this.#senders) {
      if (now - window.since >= HOUR_MS) this.#senders.delete(sender);
    }
  }
}
