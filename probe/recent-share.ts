import type { CheckResult, MissedReason } from '../shared/contracts/result.ts';
import type { Clock } from '../shared/time.ts';

const SPAN_MS = 60_000;

interface Span {
  all: number;
  bad: number;
}

const EMPTY: Readonly<Span> = { all: 0, bad: 0 };

/** Which share of something went wrong lately. */
export class RecentShare {
  readonly #clock: Clock;
  #before: Readonly<Span> = EMPTY;
  #span: Span = { ...EMPTY };
  #sinceMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sinceMs = clock.monotonic();
  }

  add({ all, bad }: Readonly<Span>): void {
    this.#turn();
    this.#span.all += all;
    this.#span.bad += bad;
  }

  /** From 0 to 1, of the last one to two minutes; 0 if there was nothing. */
  get value(): number {
    this.#turn();
    const all = this.#span.all + this.#before.all;
    // What goes wrong may have been counted as begun in an earlier span.
    return all === 0 ? 0 : Math.min(1, (this.#span.bad + this.#before.bad) / all);
  }

  #turn(): void {
    const nowMs = this.#clock.monotonic();
    const spans = Math.floor((nowMs - this.#sinceMs) / SPAN_MS);
    if (spans === 0) return;
    this.#before = spans === 1 ? this.#span : EMPTY;
    this.#span = { ...EMPTY };
    this.#sinceMs += spans * SPAN_MS;
  }
}

/** Reasons that lie with what a monitor asks for. */
const NOT_OURS: readonly MissedReason[] = ['blocked_target', 'unsupported'];

/**
 * The slots that a result stands for, and those among them that this probe did not check, though it may and
 * knows how to. Rechecks and orders stand for none.
 */
export function slotsOf(
  { attempt, reason, missed }: Pick<CheckResult, 'attempt' | 'reason' | 'missed'>,
): Readonly<Span> {
  if (attempt !== 1 || reason !== 'schedule') return EMPTY;
  const all = missed?.count ?? 1;
  return { all, bad: missed && !NOT_OURS.includes(missed.reason) ? all : 0 };
}
