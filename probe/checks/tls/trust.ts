import { createSecureContext, type SecureContext } from 'node:tls';

/** Which certificates checks trust. One context serves all connections: making one each costs 40 % more. */
export class Trust {
  readonly #roots: string[] | undefined;
  #context: SecureContext | null = null;

  /** `roots`: certificates (PEM) trusted in place of those that Node trusts. */
  constructor(roots?: string[]) {
    this.#roots = roots;
  }

  /** Made on first use: reading the trusted roots takes some 20 ms. */
  get context(): SecureContext {
    return (this.#context ??= createSecureContext(this.#roots ? { ca: this.#roots } : {}));
  }
}
