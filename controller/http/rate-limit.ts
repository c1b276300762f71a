import { AppError } from '../../shared/errors.ts';
import type { Clock } from '../../shared/time.ts';

export interface RateVerdict {
  isAllowed: boolean;
  limit: number;
  remaining: number;
  /** End of the window, Unix seconds. */
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
 * Counts requests per caller in windows of 15 minutes, measured on the monotonic clock, that start with the
 * caller's first request. Keeps at most 100,000 windows: beyond that the oldest is dropped.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #capacity: number;
  /** Oldest first: all windows are equally long, and a new one goes to the end. */
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock, limit: number, capacity = LARGEST_TABLE) {
    this.#clock = clock;
    this.#limit = limit;
    this.#capacity = capacity;
  }

  take(caller: string): RateVerdict {
    const at = this.#clock.monotonic();
    const window = this.#current(caller, at) ?? this.#open(caller, at);
    window.count += 1;
    return this.#verdict(window, window.count <= this.#limit, at);
  }

  /** Takes back one request of `caller`. */
  giveBack(caller: string): void {
    const window = this.#current(caller, this.#clock.monotonic());
    if (window !== null && window.count > 0) window.count -= 1;
  }

  /** The verdict on the next request of `caller`, without counting it. */
  peek(caller: string): RateVerdict {
    const at = this.#clock.monotonic();
    return this.#verdict(this.#current(caller, at) ?? newWindow(at), true, at);
  }

  get size(): number {
    return this.#windows.size;
  }

  #current(caller: string, at: number): Window | null {
    const window = this.#windows.get(caller);
    return window !== undefined && window.endsAt > at ? window : null;
  }

  #open(caller: string, at: number): Window {
    this.#windows.delete(caller);
    for (const [key, window] of this.#windows) {
      if (window.endsAt > at && this.#windows.size < this.#capacity) break;
      this.#windows.delete(key);
    }
    const window = newWindow(at);
    this.#windows.set(caller, window);
    return window;
  }

  #verdict(window: Window, isAllowed: boolean, at: number): RateVerdict {
    const leftMs = window.endsAt - at;
    return {
      isAllowed,
      limit: this.#limit,
      remaining: Math.max(0, this.#limit - window.count),
      resetAt: Math.ceil((this.#clock.now() + leftMs) / 1000),
      retryAfter: Math.max(1, Math.ceil(leftMs / 1000)),
    };
  }
}

function newWindow(at: number): Window {
  return { endsAt: at + RATE_WINDOW_MS, count: 0 };
}

export function rateLimitHeaders(verdict: RateVerdict): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(verdict.limit),
    'X-RateLimit-Remaining': String(verdict.remaining),
    'X-RateLimit-Reset': String(verdict.resetAt),
    ...(verdict.isAllowed ? {} : { 'Retry-After': String(verdict.retryAfter) }),
  };
}

/** The headers of an allowed request as text, for answers to which an object for each would be a burden. */
export function rateLimitLines({ limit, remaining, resetAt }: RateVerdict): string {
  return `X-RateLimit-Limit: ${limit}\r\nX-RateLimit-Remaining: ${remaining}\r\nX-RateLimit-Reset: ${resetAt}\r\n`;
}

/** Without `retryAfterSeconds`, the end of the window of requests counts. */
export function rateLimitExceeded(retryAfterSeconds?: number): AppError {
  const options = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return new AppError('RATE_LIMIT_EXCEEDED', 'Too many requests, please try again later', options);
}
