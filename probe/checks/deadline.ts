import type { Clock, Timer } from '../../shared/time.ts';
import { failure, missed, type ErrorLayer, type Finding } from './check.ts';

/** A deadline noticed this much too late shows that the probe stood still, ms. */
const STALL_MS = 500;

/** The one deadline of a check, over all that it does. */
export class Deadline {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #startedAt: number;

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#startedAt = clock.monotonic();
  }

  get elapsedMs(): number {
    return this.#clock.monotonic() - this.#startedAt;
  }

  /** Negative once it has passed. */
  get leftMs(): number {
    return this.#timeoutMs - this.elapsedMs;
  }

  /** What a check found whose time is up. Noticed much too late, it says that the probe stood still. */
  timedOut(layer: ErrorLayer, activity: string, known: Partial<Finding> = {}): Finding {
    if (this.#isStalled) return missed('overload');
    return failure('timeout', layer, `No response within ${this.#timeoutMs} ms (${activity})`, known);
  }

  /** The same if this machine's name servers were silent, which says nothing about the target's own speed. */
  nameServersTimedOut(question: string, known: Partial<Finding> = {}): Finding {
    if (this.#isStalled) return missed('overload');
    const message = `No DNS server responded within ${this.#timeoutMs} ms for ${question}`;
    return failure('dns_error', 'dns', message, known);
  }

  get #isStalled(): boolean {
    return this.leftMs < -STALL_MS;
  }
}

/** Calls `onTime` after `delayMs`. What arrived while this process was busy is read before. */
export function setDeadlineTimer(clock: Clock, delayMs: number, onElapsed: () => void): Timer {
  return clock.setTimer(Math.max(0, delayMs), () => void setImmediate(onElapsed));
}
