/** Bytes per check that don't count against the shared store. */
const FREE_BYTES = 4096;
const BLOCK_BYTES = 4096;
/** Maximum free blocks retained for reuse. */
const MAX_SPARE_BLOCKS = 1024;

/**
 * Stores and limits the data that checks capture from ongoing responses. When full, it evicts the largest
 * holding: a hostile target feeds it, or it costs others the most. Blocks are reused because V8 would let
 * dead ones accumulate.
 */
export class HeldBytes {
  readonly #maxBytes: number;
  readonly #spare: Buffer[] = [];
  /** Those still growing. */
  readonly #holdings = new Set<Holding>();
  #total = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes in use beyond the free allowance of each check. */
  get total(): number {
    return this.#total;
  }

  /** `onEvicted` is called when the holding has been emptied to make room for others. */
  open(onEvicted: () => void): Holding {
    return new Holding(this, onEvicted);
  }

  /** Used by holdings. */
  change(holding: Holding, byBytes: number): void {
    this.#total += byBytes;
    if (holding.counted > 0 && !holding.isWhole) this.#holdings.add(holding);
    else this.#holdings.delete(holding);
    while (this.#total > this.#maxBytes && this.#holdings.size > 0) this.#maxHolding().evict();
  }

  /** Used by holdings: a block to fill. */
  lend(): Block {
    return { bytes: this.#spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES), size: 0 };
  }

  /** Used by holdings. */
  takeBack({ bytes }: Block): void {
    if (this.#spare.length < MAX_SPARE_BLOCKS) this.#spare.push(bytes);
  }

  #maxHolding(): Holding {
    const all = [...this.#holdings];
    return all.reduce((max, one) => (one.counted > max.counted ? one : max));
  }
}

interface Block {
  bytes: Buffer;
  size: number;
}

/** The data captured by one check. */
export class Holding {
  readonly #store: HeldBytes;
  readonly #onEvicted: () => void;
  #blocks: Block[] = [];
  #bytes = 0;
  #isWhole = false;

  constructor(store: HeldBytes, onEvicted: () => void) {
    this.#store = store;
    this.#onEvicted = onEvicted;
  }

  /** Bytes counted against the store. */
  get counted(): number {
    return Math.max(0, this.#bytes - FREE_BYTES);
  }

  /** Whether it is complete: it is released soon and never evicted. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  get hasBody(): boolean {
    return this.#blocks.length > 0;
  }

  /** The captured body in pieces. Invalid after the release. */
  get body(): Buffer[] {
    return this.#blocks.map(({ bytes, size }) => bytes.subarray(0, size));
  }

  end(): void {
    this.#isWhole = true;
    if (this.counted > 0) this.#store.change(this, 0);
  }

  /** Counts bytes that the owner stores elsewhere. */
  grow(bytes: number): void {
    const before = this.counted;
    this.#bytes += bytes;
    if (this.counted !== before) this.#store.change(this, this.counted - before);
  }

  /** Appends a copy of `bytes[start, end)` to the body. */
  append(bytes: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end;) {
      let block = this.#blocks.at(-1);
      if (!block || block.size === BLOCK_BYTES) this.#blocks.push(block = this.#store.lend());
      const size = Math.min(end - at, BLOCK_BYTES - block.size);
      block.bytes.set(bytes.subarray(at, at + size), block.size);
      block.size += size;
      at += size;
    }
    this.grow(end - start);
  }

  release(): void {
    const before = this.counted;
    this.#bytes = 0;
    for (const block of this.#blocks) this.#store.takeBack(block);
    this.#blocks = [];
    if (before > 0) this.#store.change(this, -before);
  }

  /** Used by the store. */
  evict(): void {
    this.release();
    this.#onEvicted();
  }
}
