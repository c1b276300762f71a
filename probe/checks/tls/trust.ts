import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { NameMatches } from './name-matches.ts';

/**
 * Everything OpenSSL still supports: without verification, weak protocols deserve a warning, not a failure.
 */
const LENIENT = { minVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const;

/** TLS options of connections. */
export interface TlsContext {
  readonly secure: SecureContext;
  readonly names: NameMatches;
}

/**
 * The certificates that checks trust. A few contexts serve all connections: creating one each costs 40 %
 * more.
 */
export class Trust {
  readonly #roots: string[] | undefined;
  readonly #names = new NameMatches();
  #context: TlsContext | null = null;
  #lenient: TlsContext | null = null;

  /** `roots`: trusted certificates (PEM) instead of Node's. */
  constructor(roots?: string[]) {
    this.#roots = roots;
  }

  /** Created on first use: reading the root certificates takes some 20 ms. */
  get context(): TlsContext {
    return (this.#context ??= this.#make({}));
  }

  /** For checks that only report certificate problems: also connects with outdated protocols. */
  get lenient(): TlsContext {
    return (this.#lenient ??= this.#make(LENIENT));
  }

  #make(options: SecureContextOptions): TlsContext {
    const secure = createSecureContext(this.#roots ? { ca: this.#roots, ...options } : options);
    return { secure, names: this.#names };
  }
}
