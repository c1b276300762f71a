/** Places for tries under way. */
const PLACES_PER_LANE = 256;

export type Lane = 'quick' | 'slow';

/**
 * Two lanes of places: destinations that failed or were slow last time use their own, so that however many of them hang,
 * the others find a place. Who waits is bounded by the number of destinations at work.
 */
export class Lanes {
  readonly #free: Record<Lane, number>;
  readonly #waiting: Record<Lane, (() => void)[]> = { quick: [], slow: [] };
  readonly #drained: (() => void)[] = [];
  #taken = 0;
  #isClosed = false;

  constructor(placesPerLane = PLACES_PER_LANE) {
    this.#free = { quick: placesPerLane, slow: placesPerLane };
  }

  /** Resolves, in order of asking, with the function that gives the place back; with null when the lanes are closed. */
  async enter(lane: Lane): Promise<(() => void) | null> {
    if (this.#isClosed) return null;
    if (this.#free[lane] > 0) this.#free[lane] -= 1;
    else await new Promise<void>((resolve) => this.#waiting[lane].push(resolve));
    if (this.#isClosed) return null;
    this.#taken += 1;
    return () => this.#leave(lane);
  }

  /** Lets nobody in any more, and sends away who waits. */
  close(): void {
    this.#isClosed = true;
    for (const lane of ['quick', 'slow'] as const) for (const go of this.#waiting[lane].splice(0)) go();
  }

  /** Resolves when all have left. */
  drained(): Promise<void> {
    if (this.#taken === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  #leave(lane: Lane): void {
    this.#taken -= 1;
    if (this.#taken === 0) for (const tell of this.#drained.splice(0)) tell();
    const next = this.#waiting[lane].shift();
    if (next) next();
    else this.#free[lane] += 1;
  }
}
