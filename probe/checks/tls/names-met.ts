import { isIP } from 'node:net';
import { readCertificate } from './shown-certificate.ts';

/** Pairs of certificate and name; beyond them it begins anew. About 2 MB. */
const MOST = 10_000;

/** Remembers which certificates are for which names, because most were met in the check before. */
export class NamesMet {
  readonly #areFor = new Map<string, boolean>();

  /**
   * Whether a certificate is for a name or address, as `tls.checkServerIdentity`, which parses all of its
   * names, decides. `print`: SHA-256 of the certificate, as a text.
   */
  isFor(host: string, der: Uint8Array, print: string): boolean {
    const pair = `${print} ${host}`;
    const known = this.#areFor.get(pair);
    if (known !== undefined) return known;
    const isFor = matches(der, host);
    if (this.#areFor.size >= MOST) this.#areFor.clear();
    this.#areFor.set(pair, isFor);
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
