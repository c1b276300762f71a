/** The parts of a request body received so far. */
export class BodyParts {
  #chunks: Buffer[] = [];
  /** Bytes received. */
  size = 0;
  /** Rejects when the body is refused. */
  readonly refused: Promise<never>;
  readonly #onGrow: () => void;
  #reject: (failure: Error) => void = () => undefined;
  #failure: Error | null = null;

  constructor(onGrow: () => void = () => undefined) {
    this.#onGrow = onGrow;
    this.refused = new Promise((_resolve, reject) => (this.#reject = reject));
    // Once the body is complete, nothing awaits this promise: a late rejection must not be unhandled.
    this.refused.catch(() => undefined);
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.size += chunk.length;
    this.#onGrow();
  }

  clear(): void {
    this.#chunks = [];
    this.size = 0;
  }

  /** Returns the whole body. Throws if it was refused. */
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
