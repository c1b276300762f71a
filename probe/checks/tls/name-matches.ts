import { isIP } from 'node:net';
import { readCertificate } from './shown-certificate.ts';

/** Maximum cached pairs of certificate and name, about 2 MB; beyond it, the cache is cleared. */
const MAX_PAIRS = 10_000;

/**
 * Caches whether certificates match names, because most certificates are the same as in the previous check.
 */
export class NameMatches {
  readonly #cached = new Map<string, boolean>();

  /**
   * Whether a certificate matches a name or address, as decided by `tls.checkServerIdentity`, which parses
   * all of its names. `fingerprint` is the certificate's SHA-256.
   */
  isFor(host: string, der: Uint8Array, fingerprint: string): boolean {
    const pair = `${fingerprint} ${host}`;
    const cached = this.#cached.get(pair);
    if (cached !== undefined) return cached;
    const isFor = matches(der, host);
    if (this.#cached.size >= MAX_PAIRS) this.#cached.clear();
    this.#cached.set(pair, isFor);
    return isFor;
  }
}

function matches(der: Uint8Array, host: string): boolean {
  try {
    return readCertificate(der, (certificate) => {
      const found = isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host.replace(/\.$/, ''));
      return found !== undefined;
    });
  } catch {
    return false;
  }
}
