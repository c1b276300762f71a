/** What one check keeps of an answer needs no room in the common store up to here, bytes. */
const FREE_BYTES = 4096;

/**
 * Limits what all checks together keep of answers that are still coming. When there is no room, the check
 * that keeps most gives way: it is the one that a hostile target feeds, or it costs others most.
 */
export class HeldBytes {
  readonly #maxBytes: number;
  /** Those that still grow. */
  readonly #holdings = new Set<Holding>();
  #total = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** What is kept now beyond what each check keeps for free, bytes. */
  get total(): number {
    return this.#total;
  }

  /** `giveWay` is called when the holding has been emptied to make room for others. */
  open(giveWay: () => void): Holding {
    return new Holding(this, giveWay);
  }

  /** For holdings. */
  change(holding: Holding, byBytes: number): void {
    this.#total += byBytes;
    if (holding.counted > 0 && !holding.isWhole) this.#holdings.add(holding);
    else this.#holdings.delete(holding);
    while (this.#total > this.#maxBytes && this.#holdings.size > 0) this.#largest().evict();
  }

  #largest(): Holding {
    const all = [...this.#holdings];
    return all.reduce((largest, one) => (one.counted > largest.counted ? one : largest));
  }
}

/** What one check keeps. */
export class Holding {
  readonly #store: HeldBytes;
  readonly #giveWay: () => void;
  #bytes = 0;
  #isWhole = false;

  constructor(store: HeldBytes, giveWay: () => void) {
    this.#store = store;
    this.#giveWay = giveWay;
  }

  /** Its part of the common store, bytes. */
  get counted(): number {
    return Math.max(0, this.#bytes - FREE_BYTES);
  }

  /** Whether nothing more comes: it is used up soon and does not give way. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  end(): void {
    this.#isWhole = true;
    if (this.counted > 0) this.#store.change(this, 0);
  }

  grow(bytes: number): void {
    const before = this.counted;
    this.#bytes += bytes;
    if (this.counted !== before) this.#store.change(this, this.counted - before);
  }

  release(): void {
    const before = this.counted;
    this.#bytes = 0;
    if (before > 0) this.#store.change(this, -before);
  }

  /** For the store. */
  evict(): void {
    this.release();
    this.#giveWay();
  }
}
