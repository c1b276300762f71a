import { BodyParts } from './body-parts.ts';

/**
 * Limits the memory of documents that are received or wait for their turn. When they hold too much, the
 * newest document of the caller with the most bytes is refused, so that nobody can shut others out.
 */
export class DocumentMemory {
  readonly #maxBytes: number;
  readonly #refusal: () => Error;
  /** Documents with their callers, the oldest first. */
  readonly #documents = new Map<BodyParts, string>();
  /** Refused since the start. */
  refused = 0;

  /** `refusal` returns the error for a document that is refused. */
  constructor(maxBytes: number, refusal: () => Error) {
    this.#maxBytes = maxBytes;
    this.#refusal = refusal;
  }

  /** To be released in any case. */
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
