/** At most `max` uses of `key` in a period, each of which occupies one place until the period ends. */
export interface UseLimit {
  key: string;
  max: number;
  /** Places that this use needs; 1 unless given. */
  needed?: number;
}

export interface UseLimits {
  /**
   * Occupies all places that the limits require, or none. Returns null on success, else when enough places
   * may be free, Unix ms. The places are free again at `until`, by default an hour after `now`.
   */
  take(limits: readonly UseLimit[], now: number, until?: number): Promise<number | null>;
}
