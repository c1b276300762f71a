import { probeOfLane } from '../../../shared/contracts/result.ts';
import { LANES_PER_PROBE } from '../state/lane-rules.ts';

/**
 * Positions that include batches on their way into the journal, so that each lane is taken strictly in order.
 * A lane stays here until the journal has all of it, whatever lanes the state drops meanwhile.
 */
export class UnjournaledLanes {
  readonly #positions = new Map<string, number>();
  /** Number of these lanes by probe. */
  readonly #counts = new Map<string, number>();

  /** Undefined when nothing of the lane is on its way. */
  get(lane: string): number | undefined {
    return this.#positions.get(lane);
  }

  /**
   * False when as many other lanes of the probe are on their way as the state keeps: one entry with more
   * would drop lanes that it has just moved.
   */
  hasRoom(lane: string): boolean {
    return this.#positions.has(lane) || (this.#counts.get(probeOfLane(lane)) ?? 0) < LANES_PER_PROBE;
  }

  set(lane: string, position: number): void {
    if (!this.#positions.has(lane)) this.#count(lane, 1);
    this.#positions.set(lane, position);
  }

  /** The journal has the lane up to `position`. */
  settle(lane: string, position: number): void {
    if (this.#positions.get(lane) !== position) return;
    this.#positions.delete(lane);
    this.#count(lane, -1);
  }

  #count(lane: string, by: number): void {
    const probe = probeOfLane(lane);
    const count = (this.#counts.get(probe) ?? 0) + by;
    if (count > 0) this.#counts.set(probe, count);
    else this.#counts.delete(probe);
  }
}
