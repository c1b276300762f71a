/**
 * Lanes kept per probe and shard. If a probe opens one more, its least recently moved lane is dropped and
 * would restart at 1. Farwatch's probe never reuses a lane after 48 others have moved
 * (`probe/spool/started-lanes.ts`).
 */
export const LANES_PER_PROBE = 64;

/**
 * A lane dropped within this time after it moved, ms, was crowded out by `LANES_PER_PROBE` others. Farwatch's
 * probe starts at most eight a second in a shard.
 */
const CROWDED_OUT_MS = 5000;

/** Whether a lane dropped by an entry taken at `takenAt` had moved only seconds before. */
export function isCrowdedOut(movedAt: number, takenAt: number): boolean {
  return takenAt - movedAt < CROWDED_OUT_MS;
}
