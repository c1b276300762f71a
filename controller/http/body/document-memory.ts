import { BodyParts } from './body.ts';

/**
 * Limits the memory of documents that are being received or queued. Above the limit, it refuses the newest
 * document of the caller with the most bytes, so that no caller can block the others.
 */
export class DocumentMemory {
  readonly #maxBytes: number;
  readonly #refusal: () => Error;
  /** Documents with their callers, oldest first. */
  readonly #documents = new Map<BodyParts, string>();
  /** Documents refused since startup. */
  refused = 0;

  /** `refusal` creates the error for a refused document. */
  constructor(maxBytes: number, refusal: () => Error) {
    this.#maxBytes = maxBytes;
    this.#refusal = refusal;
  }

  /** The caller must release the result, even after an error. */
  reserve(caller: string): BodyParts {
    const parts = new BodyParts(() => this.#evict());
    this.#documents.set(parts, caller);
    return parts;
  }

  release(parts: BodyParts): void {
    parts.clear();
    this.#documents.delete(parts);
  }

  #evict(): void {
    const bytes = new Map<string, number>();
    for (const [{ size }, caller] of this.#documents) bytes.set(caller, (bytes.get(caller) ?? 0) + size);
    if ([...bytes.values()].reduce((total, size) => total + size, 0) <= this.#maxBytes) return;
    const [heaviestCaller] = [...bytes].sort(([, one], [, other]) => other - one)[0] ?? [];
    const [newest] = [...this.#documents]
      .findLast(([{ size }, caller]) => caller === heaviestCaller && size > 0) ?? [];
    this.refused += 1;
    newest?.refuse(this.#refusal());
  }
}
