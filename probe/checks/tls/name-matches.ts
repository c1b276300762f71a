import { isIP } from 'node:net';
import { readCertificate } from './shown-certificate.ts';

/** Pairs of certificate and name; beyond them it begins anew. About 2 MB. */
const MAX_PAIRS = 10_000;

/** Remembers which certificates are for which names, because most were met in the check before. */
export class NameMatches {
  readonly #cached = new Map<string, boolean>();

  /**
   * Whether a certificate is for a name or address, as `tls.checkServerIdentity`, which parses all of its
   * names, decides. `print`: SHA-256 of the certificate, as a text.
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
