import { probeOfLane } from '../../../shared/contracts/result.ts';
import type { LanePosition } from './records.ts';

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

/**
 * Positions of a shard's lanes, at most `LANES_PER_PROBE` per probe. Which lanes are kept depends only on the
 * order of moves, so all readers of the journal keep the same ones.
 */
export class Lanes implements Iterable<LanePosition> {
  /** By probe; each probe's lanes in the order of their last move. */
  readonly #probes = new Map<string, Map<string, LanePosition>>();

  constructor(lanes: Iterable<LanePosition> = []) {
    for (const { lane, position, moved_at: movedAt } of lanes) this.move(lane, position, movedAt);
  }

  /** All lanes, each probe's in the order of their last move. */
  *[Symbol.iterator](): Iterator<LanePosition> {
    for (const lanes of this.#probes.values()) yield* lanes.values();
  }

  /** The position up to which the lane is journaled; 0 if it is unknown. */
  position(lane: string): number {
    return this.#probes.get(probeOfLane(lane))?.get(lane)?.position ?? 0;
  }

  /**
   * Moves a lane forward, `at` Unix ms. Returns the lane that its probe loses in return; null without one.
   */
  move(lane: string, position: number, at: number): LanePosition | null {
    const probe = probeOfLane(lane);
    let lanes = this.#probes.get(probe);
    if (!lanes) this.#probes.set(probe, (lanes = new Map<string, LanePosition>()));
    const current = lanes.get(lane);
    lanes.delete(lane);
    lanes.set(lane, {
      lane,
      position: Math.max(position, current?.position ?? 0),
      moved_at: Math.max(at, current?.moved_at ?? 0),
    });
    const [oldest] = lanes.size > LANES_PER_PROBE ? lanes.values() : [];
    if (!oldest) return null;
    lanes.delete(oldest.lane);
    return oldest;
  }

  /** The lane restarts at 1. */
  forget(lane: string): void {
    const probe = probeOfLane(lane);
    const lanes = this.#probes.get(probe);
    if (lanes?.delete(lane) && lanes.size === 0) this.#probes.delete(probe);
  }
}
