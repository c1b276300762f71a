/** What of a body has come so far. */
export class BodyParts {
  #chunks: Buffer[] = [];
  /** Bytes. */
  size = 0;
  /** Rejects when it is refused. */
  readonly refused: Promise<never>;
  readonly #onGrown: () => void;
  #reject: (failure: Error) => void = () => undefined;
  #failure: Error | null = null;

  constructor(onGrown: () => void = () => undefined) {
    this.#onGrown = onGrown;
    this.refused = new Promise((_resolve, reject) => (this.#reject = reject));
    // Whoever has read all of it does not wait for this any more.
    this.refused.catch(() => undefined);
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.size += chunk.length;
    this.#onGrown();
  }

  clear(): void {
    this.#chunks = [];
    this.size = 0;
  }

  /** Throws if it was refused. */
  join(): Buffer {
    if (this.#failure !== null) throw this.#failure;
    return Buffer.concat(this.#chunks);
  }

  refuse(failure: Error): void {
    this.#failure = failure;
    this.#reject(failure);
    this.clear();
  }
}
