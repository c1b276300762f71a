import { AppError } from '../../shared/errors.ts';
import type { Clock } from '../../shared/time.ts';

/** What the limit says of one request. */
export interface RateVerdict {
  isAllowed: boolean;
  limit: number;
  remaining: number;
  /** Unix seconds at which the window ends. */
  resetAt: number;
  /** Whole seconds until then, at least 1. */
  retryAfter: number;
}

interface Window {
  /** On the monotonic clock, ms. */
  endsAt: number;
  count: number;
}

export const RATE_WINDOW_MS = 15 * 60_000;
const LARGEST_TABLE = 100_000;

/**
 * Counts requests per caller in windows of 15 minutes that start with the caller's first request. Time is the
 * monotonic clock. At most 100,000 callers are remembered: beyond that the one whose window is oldest starts anew.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #capacity: number;
  /** In order of the windows' start, since a window that starts anew is put at the end. */
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock, limit: number, capacity = LARGEST_TABLE) {
    this.#clock = clock;
    this.#limit = limit;
    this.#capacity = capacity;
  }

  /** Counts one request of `caller`. */
  take(caller: string): RateVerdict {
    const window = this.#current(caller) ?? this.#open(caller);
    window.count += 1;
    return this.#verdict(window, window.count <= this.#limit);
  }

  /** What the next request of `caller` would meet, without counting. */
  peek(caller: string): RateVerdict {
    const window = this.#current(caller) ?? { endsAt: this.#clock.monotonic() + RATE_WINDOW_MS, count: 0 };
    return this.#verdict(window, true);
  }

  get size(): number {
    return this.#windows.size;
  }

  #current(caller: string): Window | null {
    const window = this.#windows.get(caller);
    return window !== undefined && window.endsAt > this.#clock.monotonic() ? window : null;
  }

  #open(caller: string): Window {
    const now = this.#clock.monotonic();
    this.#windows.delete(caller);
    for (const [key, window] of this.#windows) {
      if (window.endsAt > now && this.#windows.size < this.#capacity) break;
      this.#windows.delete(key);
    }
    const window = { endsAt: now + RATE_WINDOW_MS, count: 0 };
    this.#windows.set(caller, window);
    return window;
  }

  #verdict(window: Window, isAllowed: boolean): RateVerdict {
    const leftMs = window.endsAt - this.#clock.monotonic();
    return {
      isAllowed,
      limit: this.#limit,
      remaining: Math.max(0, this.#limit - window.count),
      resetAt: Math.ceil((this.#clock.now() + leftMs) / 1000),
      retryAfter: Math.max(1, Math.ceil(leftMs / 1000)),
    };
  }
}

export function rateLimitExceeded(): AppError {
  return new AppError('RATE_LIMIT_EXCEEDED', 'Too many requests, please try again later');
}
