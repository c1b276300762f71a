import { probeOfLane } from '../../../shared/contracts/result.ts';
import { LANES_PER_PROBE } from '../state/lane-rules.ts';

/**
 * Lane positions that include unjournaled batches, so that each lane is processed strictly in order. A lane
 * stays until the journal has all of it, even if the state drops it meanwhile.
 */
export class UnjournaledLanes {
  readonly #positions = new Map<string, number>();
  /** Number of these lanes by probe. */
  readonly #counts = new Map<string, number>();

  /** Undefined if the lane has no unjournaled batches. */
  get(lane: string): number | undefined {
    return this.#positions.get(lane);
  }

  /**
   * False if the probe has as many other unjournaled lanes as the state keeps. With more, one entry would
   * drop lanes that it has just moved.
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
