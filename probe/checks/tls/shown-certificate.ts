import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { enter, SEQUENCE } from './der-value.ts';

/** Tag of the peer's certificate in a session serialized by OpenSSL (ssl/ssl_asn1.c). */
const PEER = 0xa3;
/** A certificate this large has thousands of names. */
const LARGE_BYTES = 16_384;

/**
 * The peer's certificate (DER), taken from the session bytes; null if none. `getPeerX509Certificate` would
 * parse it with key and issuer, a seventh of an HTTPS check. Call once: in Node 20 that method also removes a
 * certificate from the chain.
 */
export function shownCertificate(socket: TLSSocket): Uint8Array | null {
  return certificateIn(socket.getSession()) ?? socket.getPeerX509Certificate()?.raw ?? null;
}

/** The peer's certificate (DER) in a TLS session; null if there is none, or the format is unknown. */
export function certificateIn(session: Uint8Array | undefined): Uint8Array | null {
  const content = session && enter(session, 0, SEQUENCE);
  if (!content) return null;
  for (let at = content.start; at < content.end;) {
    const tag = session[at] as number;
    const value = enter(session, at, tag);
    if (value === null) return null;
    if (tag === PEER) return session.subarray(value.start, value.end);
    at = value.end;
  }
  return null;
}

/** Applies `read` to a certificate (DER); `read` must not retain the object. */
export function readCertificate<T>(der: Uint8Array, read: (certificate: X509Certificate) => T): T {
  const outcome = decodeAnd(read, der);
  if (der.length >= LARGE_BYTES) collectNow();
  return outcome;
}

/** A separate function, so that nothing references the certificate after it returns. */
function decodeAnd<T>(read: (certificate: X509Certificate) => T, der: Uint8Array): T {
  return read(new X509Certificate(der));
}

/**
 * OpenSSL holds a megabyte per certificate with 10,000 names until V8 collects its wrapper. The wrapper looks
 * small, so V8 may not do that for a minute. Requires `--expose-gc`, which probes run with.
 */
function collectNow(): void {
  void globalThis.gc?.({ type: 'minor', execution: 'sync' });
}
