import type { Clock, Timer } from '../../shared/time.ts';
import { failure, missed, type ErrorLayer, type Finding } from './check.ts';

/** A deadline noticed this late means that the probe was stalled. */
const STALL_MS = 500;

/** The single deadline for everything a check does. */
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

  /** Negative after the deadline. */
  get leftMs(): number {
    return this.#timeoutMs - this.elapsedMs;
  }

  /** The finding for a check that timed out. If noticed much too late, it blames a stalled probe instead. */
  timedOut(layer: ErrorLayer, activity: string, known: Partial<Finding> = {}): Finding {
    if (this.#isStalled) return missed('overload');
    return failure('timeout', layer, `No response within ${this.#timeoutMs} ms (${activity})`, known);
  }

  /** The same for timeouts of this machine's name servers, which say nothing about the target's speed. */
  nameServersTimedOut(question: string, known: Partial<Finding> = {}): Finding {
    if (this.#isStalled) return missed('overload');
    const message = `No DNS server responded within ${this.#timeoutMs} ms for ${question}`;
    return failure('dns_error', 'dns', message, known);
  }

  get #isStalled(): boolean {
    return this.leftMs < -STALL_MS;
  }
}

/** Calls `onElapsed` after `delayMs`, once data that arrived while the process was busy has been read. */
export function setDeadlineTimer(clock: Clock, delayMs: number, onElapsed: () => void): Timer {
  return clock.setTimer(Math.max(0, delayMs), () => void setImmediate(onElapsed));
}
