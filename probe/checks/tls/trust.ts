import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { NameMatches } from './name-matches.ts';

/** All that OpenSSL still speaks: where nothing is verified, what is weak deserves a warning, no failure. */
const LENIENT = { minVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const;

/** What connections are made with. */
export interface TlsContext {
  readonly secure: SecureContext;
  readonly names: NameMatches;
}

/** Which certificates checks trust. Few contexts serve all connections: making one each costs 40 % more. */
export class Trust {
  readonly #roots: string[] | undefined;
  readonly #names = new NameMatches();
  #context: TlsContext | null = null;
  #lenient: TlsContext | null = null;

  /** `roots`: certificates (PEM) trusted in place of those that Node trusts. */
  constructor(roots?: string[]) {
    this.#roots = roots;
  }

  /** Made on first use: reading the trusted roots takes some 20 ms. */
  get context(): TlsContext {
    return (this.#context ??= this.#make({}));
  }

  /** For a check that only reports what is wrong with a certificate: connects by outdated protocols too. */
  get lenient(): TlsContext {
    return (this.#lenient ??= this.#make(LENIENT));
  }

  #make(options: SecureContextOptions): TlsContext {
    const secure = createSecureContext(this.#roots ? { ca: this.#roots, ...options } : options);
    return { secure, names: this.#names };
  }
}
