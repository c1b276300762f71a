import type { CheckResult, MissedReason } from '../../shared/contracts/result.ts';
import type { Clock } from '../../shared/time.ts';

const SPAN_MS = 60_000;
/** Reasons that lie with what a monitor asks for. */
const NOT_OURS: readonly MissedReason[] = ['blocked_target', 'unsupported'];

interface Span {
  slots: number;
  missed: number;
}

/** The share of slots that this probe could not check lately, though it may and knows how to. */
export class MissedRate {
  readonly #clock: Clock;
  #before: Span = { slots: 0, missed: 0 };
  #span: Span = { slots: 0, missed: 0 };
  #sinceMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sinceMs = clock.monotonic();
  }

  /** Counts a result if it stands for slots, and not for a recheck or an order. */
  add({ attempt, reason, missed }: Pick<CheckResult, 'attempt' | 'reason' | 'missed'>): void {
    if (attempt !== 1 || reason !== 'schedule') return;
    this.#turn();
    this.#span.slots += missed?.count ?? 1;
    if (missed && !NOT_OURS.includes(missed.reason)) this.#span.missed += missed.count;
  }

  /** From 0 to 1, of the last one to two minutes; 0 without slots. */
  get share(): number {
    this.#turn();
    const slots = this.#span.slots + this.#before.slots;
    return slots === 0 ? 0 : (this.#span.missed + this.#before.missed) / slots;
  }

  #turn(): void {
    const nowMs = this.#clock.monotonic();
    const spans = Math.floor((nowMs - this.#sinceMs) / SPAN_MS);
    if (spans === 0) return;
    this.#before = spans === 1 ? this.#span : { slots: 0, missed: 0 };
    this.#span = { slots: 0, missed: 0 };
    this.#sinceMs += spans * SPAN_MS;
  }
}
