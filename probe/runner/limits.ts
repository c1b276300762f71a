/** How much may be under way at once. */
export interface Limits {
  /** Checks that should answer soon: the adaptive limit stays between these. */
  minQuick: number;
  maxQuick: number;
  /** Checks that have taken long, or are expected to. */
  maxSlow: number;
  /** Checks that wait for their turn. */
  maxQueued: number;
  /** Orders of the controller run beside the schedule. */
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

/** A check under way for longer than this no longer takes the place of a quick one, ms. */
export const SLOW_AFTER_MS = 1000;
/** How often the runner looks at its own lateness while anything is under way, ms. */
export const REVIEW_INTERVAL_MS = 100;
/** The same while only slow ones are: they may hang for long, and must not keep the process awake. */
export const SLOW_REVIEW_INTERVAL_MS = 1000;
const LATE_MS = 50;
const PUNCTUAL_MS = 20;

/**
 * The next limit of quick checks: less when this process is late by its own timers, more when it is punctual
 * and the limit was what held checks back. The signal is our own lateness, not the targets': slow targets are
 * not our load.
 */
export function nextLimit(limit: number, lateMs: number, wasReached: boolean, limits: Limits): number {
  if (lateMs > LATE_MS) return Math.max(limits.minQuick, Math.floor(limit * 0.8));
  if (wasReached && lateMs < PUNCTUAL_MS) return Math.min(limits.maxQuick, Math.ceil(limit * 1.1) + 1);
  return limit;
}
