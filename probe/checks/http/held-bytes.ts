/** What one check keeps of an answer needs no room in the common store up to here, bytes. */
const FREE_BYTES = 4096;
/** Bodies are kept in blocks of this size, bytes. */
const BLOCK_BYTES = 4096;
/** Blocks that wait for the next body. */
const MAX_SPARE_BLOCKS = 1024;

/**
 * Keeps what all checks together need of answers that are still coming, and limits it. When there is no room,
 * the check that keeps most gives way: it is the one that a hostile target feeds, or it costs others most.
 * Bodies lie in blocks that are used again: V8 would let tens of megabytes of dead ones pile up.
 */
export class HeldBytes {
  readonly #maxBytes: number;
  readonly #spare: Buffer[] = [];
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
  open(onEvicted: () => void): Holding {
    return new Holding(this, onEvicted);
  }

  /** For holdings. */
  change(holding: Holding, byBytes: number): void {
    this.#total += byBytes;
    if (holding.counted > 0 && !holding.isWhole) this.#holdings.add(holding);
    else this.#holdings.delete(holding);
    while (this.#total > this.#maxBytes && this.#holdings.size > 0) this.#maxHolding().evict();
  }

  /** For holdings: a block of which they use `size` bytes. */
  lend(): Block {
    return { bytes: this.#spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES), size: 0 };
  }

  /** For holdings. */
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

/** What one check keeps. */
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

  /** Its part of the common store, bytes. */
  get counted(): number {
    return Math.max(0, this.#bytes - FREE_BYTES);
  }

  /** Whether nothing more comes: it is used up soon and does not give way. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  get hasBody(): boolean {
    return this.#blocks.length > 0;
  }

  /** The body that is kept, in pieces. Not to be used after the release. */
  get body(): Buffer[] {
    return this.#blocks.map(({ bytes, size }) => bytes.subarray(0, size));
  }

  end(): void {
    this.#isWhole = true;
    if (this.counted > 0) this.#store.change(this, 0);
  }

  /** Counts what its owner keeps elsewhere. */
  grow(bytes: number): void {
    const before = this.counted;
    this.#bytes += bytes;
    if (this.counted !== before) this.#store.change(this, this.counted - before);
  }

  /** Keeps a copy of `bytes[start, end)` behind the rest of the body. */
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

  /** For the store. */
  evict(): void {
    this.release();
    this.#onEvicted();
  }
}
