import type { Clock } from '../../../shared/time.ts';
import { AppError } from '../../errors/app-error.ts';
import { networksOf, type CountedNetwork } from '../../work/client-networks.ts';
import type { QueueRefusal } from '../../work/fair-queue.ts';

export interface RateDecision {
  isAllowed: boolean;
  limit: number;
  remaining: number;
  /** End of the window, Unix seconds. */
  resetAt: number;
  /** Whole seconds until `resetAt`, at least 1. */
  retryAfter: number;
}

interface Window {
  /** Monotonic ms. */
  endsAt: number;
  count: number;
}

export const RATE_WINDOW_MS = 15 * 60_000;
const MAX_WINDOWS = 100_000;

/**
 * Counts requests per caller in 15-minute windows on the monotonic clock; a window starts with the caller's
 * first request. IPv6 callers also count in their wider networks (see `networksOf`). Holds at most 100,000
 * windows and drops the oldest.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #capacity: number;
  /** Oldest first: all windows are equally long, and new ones are added at the end. */
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock, limit: number, capacity = MAX_WINDOWS) {
    this.#clock = clock;
    this.#limit = limit;
    this.#capacity = capacity;
  }

  /** Doesn't count a refused request, so it opens no window and uses up no shared limit. */
  take(caller: string): RateDecision {
    const at = this.#clock.monotonic();
    const networks = networksOf(caller);
    for (const { key, factor } of networks) {
      const window = this.#current(key, at);
      const limit = this.#limit * factor;
      if (window !== null && window.count >= limit) return this.#decide(window, limit, false, at);
    }
    for (const { key } of networks) (this.#current(key, at) ?? this.#open(key, at)).count += 1;
    return this.#strictest(networks, at);
  }

  /** Uncounts one request of `caller`. */
  refund(caller: string): void {
    const at = this.#clock.monotonic();
    for (const { key } of networksOf(caller)) {
      const window = this.#current(key, at);
      if (window !== null && window.count > 0) window.count -= 1;
    }
  }

  /** The rate decision for the next request of `caller`, without counting it. */
  peek(caller: string): RateDecision {
    return this.#strictest(networksOf(caller), this.#clock.monotonic());
  }

  get size(): number {
    return this.#windows.size;
  }

  #current(key: string, at: number): Window | null {
    const window = this.#windows.get(key);
    return window !== undefined && window.endsAt > at ? window : null;
  }

  #open(key: string, at: number): Window {
    this.#windows.delete(key);
    for (const [old, window] of this.#windows) {
      if (window.endsAt > at && this.#windows.size < this.#capacity) break;
      this.#windows.delete(old);
    }
    const window = newWindow(at);
    this.#windows.set(key, window);
    return window;
  }

  /** The rate decision of the network with the fewest requests left. */
  #strictest([own, ...wider]: readonly [CountedNetwork, ...CountedNetwork[]], at: number): RateDecision {
    const decisionOf = ({ key, factor }: CountedNetwork) =>
      this.#decide(this.#current(key, at) ?? newWindow(at), this.#limit * factor, true, at);
    let strictest = decisionOf(own);
    for (const network of wider) {
      const decide = decisionOf(network);
      if (decide.remaining < strictest.remaining) strictest = decide;
    }
    return strictest;
  }

  #decide(window: Window, limit: number, isAllowed: boolean, at: number): RateDecision {
    const leftMs = window.endsAt - at;
    return {
      isAllowed, limit,
      remaining: Math.max(0, limit - window.count),
      resetAt: Math.ceil((this.#clock.now() + leftMs) / 1000),
      retryAfter: Math.max(1, Math.ceil(leftMs / 1000)),
    };
  }
}

function newWindow(at: number): Window {
  return { endsAt: at + RATE_WINDOW_MS, count: 0 };
}

export function rateLimitHeaders(decision: RateDecision): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(decision.limit),
    'X-RateLimit-Remaining': String(decision.remaining),
    'X-RateLimit-Reset': String(decision.resetAt),
    ...(decision.isAllowed ? {} : { 'Retry-After': String(decision.retryAfter) }),
  };
}

/** The rate-limit headers as text, for fast responses that avoid an object per request. */
export function rateLimitLines({ limit, remaining, resetAt }: RateDecision): string {
  return `X-RateLimit-Limit: ${limit}\r\nX-RateLimit-Remaining: ${remaining}\r\nX-RateLimit-Reset: ${resetAt}\r\n`;
}

/** `retryAfterSeconds` defaults to the end of the caller's window. */
export function rateLimitExceeded(retryAfterSeconds?: number): AppError {
  const options = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return new AppError('RATE_LIMIT_EXCEEDED', 'Too many requests; try again later', options);
}

/** For a fair queue: 429 for the caller with too much waiting in it, 503 with `message` for the others. */
export function queueRefusal(retryAfterSeconds: number, message: string) {
  return (refusal: QueueRefusal): AppError =>
    (refusal === 'mine' ? rateLimitExceeded(retryAfterSeconds) : new AppError('SERVICE_UNAVAILABLE', message));
}
