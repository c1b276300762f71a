import type { CheckResult, MissedReason } from '../shared/contracts/result.ts';
import type { Clock } from '../shared/time.ts';

const SPAN_MS = 60_000;

interface Span {
  all: number;
  bad: number;
}

const EMPTY: Readonly<Span> = { all: 0, bad: 0 };

/** The share of recent events that went wrong. */
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

  /** From 0 to 1 over the last one to two minutes; 0 without events. */
  get value(): number {
    this.#turn();
    const all = this.#span.all + this.#before.all;
    // A failed event may have been counted as started in an earlier window.
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

/** Reasons caused by a monitor's configuration. */
const NOT_OURS: readonly MissedReason[] = ['blocked_target', 'unsupported'];

/**
 * The slots that a result covers, and those of them that this probe missed although it was able and allowed
 * to check. Rechecks and orders cover none.
 */
export function slotsOf(
  { attempt, reason, missed }: Pick<CheckResult, 'attempt' | 'reason' | 'missed'>,
): Readonly<Span> {
  if (attempt !== 1 || reason !== 'schedule') return EMPTY;
  const all = missed?.count ?? 1;
  return { all, bad: missed && !NOT_OURS.includes(missed.reason) ? all : 0 };
}
