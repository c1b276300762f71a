/**
 * Lanes kept per probe and shard. When a probe opens one more, the one that was moved least recently is
 * dropped, and would start from 1 again. Farwatch's probe never needs a lane again after 48 others have moved
 * (`probe/spool/started-lanes.ts`).
 */
export const LANES_PER_PROBE = 64;

/**
 * A lane that is dropped so soon after it moved, ms, was crowded out: `LANES_PER_PROBE` others have moved
 * since. Farwatch's probe begins at most eight a second in a shard.
 */
const CROWDED_OUT_MS = 5000;

/** Whether a lane that an entry taken at `takenAt` has dropped was moved only seconds before. */
export function isCrowdedOut(movedAt: number, takenAt: number): boolean {
  return takenAt - movedAt < CROWDED_OUT_MS;
}
