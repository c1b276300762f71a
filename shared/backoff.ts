/** The first and the longest delay before a retry. */
export interface BackoffLimits {
  minMs: number;
  maxMs: number;
}

/**
 * Delay before the retry after `failures` (1 or more) failures in a row, ms: doubles each time. `random`, in
 * [0, 1), spreads it over its second half, so that those who failed together do not retry together.
 */
export function backoffMs(failures: number, { minMs, maxMs }: BackoffLimits, random = 1): number {
  return Math.min(maxMs, minMs * 2 ** (failures - 1)) * (0.5 + random / 2);
}

/** `delayMs`, extended by up to `share` of itself. `random` is in [0, 1). */
export function spreadMs(delayMs: number, share: number, random: number): number {
  return delayMs * (1 + share * random);
}
