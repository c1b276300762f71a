/** Concurrency limits. */
export interface Limits {
  /** Checks expected to be fast: the adaptive limit stays in this range. */
  minQuick: number;
  maxQuick: number;
  /** Checks that have taken long, or are expected to. */
  maxSlow: number;
  /** Queued checks. */
  maxQueued: number;
  /** Orders from the controller, in addition to the schedule. */
  maxOrders: number;
}

/** Limits for a process that may open `maxFiles` files. */
export function limitsFor(maxFiles: number): Limits {
  const share = (part: number, max: number): number =>
    Math.max(16, Math.min(max, Math.floor(maxFiles * part)));
  return {
    minQuick: 16, maxQuick: share(0.25, 2048), maxSlow: share(0.5, 8192), maxQueued: 20_000,
    maxOrders: share(0.05, 64),
  };
}

/** A running check counts as slow after this time. */
export const SLOW_AFTER_MS = 1000;
/** How often the runner measures its own lateness while checks are running. */
export const REVIEW_INTERVAL_MS = 100;
/**
 * The same while only slow checks are running: they may hang for long and must not keep the process awake.
 */
export const SLOW_REVIEW_INTERVAL_MS = 1000;
const LATE_MS = 50;
const PUNCTUAL_MS = 20;

/**
 * The next limit of quick checks: lower if this process's timers are late, higher if they are punctual and
 * the limit was reached. Uses our own lateness, because slow targets aren't our load.
 */
export function nextLimit(limit: number, lateMs: number, wasReached: boolean, limits: Limits): number {
  if (lateMs > LATE_MS) return Math.max(limits.minQuick, Math.floor(limit * 0.8));
  if (wasReached && lateMs < PUNCTUAL_MS) return Math.min(limits.maxQuick, Math.ceil(limit * 1.1) + 1);
  return limit;
}
