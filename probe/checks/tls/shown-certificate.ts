import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { enter, SEQUENCE } from './der-value.ts';

/** Tag of the peer's certificate in a session as OpenSSL writes it (ssl/ssl_asn1.c). */
const PEER = 0xa3;
/** A certificate of that size has thousands of names, bytes. */
const LARGE_BYTES = 16_384;

/**
 * The certificate (DER) that the peer of a socket has shown; null for none. To be called once: in Node 20,
 * `getPeerX509Certificate` takes a certificate off the chain. It also decodes the certificate anew, with its
 * key and its issuer, which is a seventh of an HTTPS check. The session contains the bytes as they are.
 */
export function shownCertificate(socket: TLSSocket): Uint8Array | null {
  return certificateIn(socket.getSession()) ?? socket.getPeerX509Certificate()?.raw ?? null;
}

/** The peer's certificate (DER) in a TLS session; null when there is none, or the session reads otherwise. */
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

/** What `read` makes of a certificate (DER); it must not keep the object. */
export function readCertificate<T>(der: Uint8Array, read: (certificate: X509Certificate) => T): T {
  const outcome = decodeAnd(read, der);
  if (der.length >= LARGE_BYTES) collectNow();
  return outcome;
}

/** A function of its own, so that nothing refers to the certificate any more when it returns. */
function decodeAnd<T>(read: (certificate: X509Certificate) => T, der: Uint8Array): T {
  return read(new X509Certificate(der));
}

/**
 * OpenSSL keeps a megabyte for a certificate with 10,000 names until V8 collects the object that stands for
 * it, which looks small to V8: it may find no reason for a minute. Probes run with `--expose-gc`.
 */
function collectNow(): void {
  void globalThis.gc?.({ type: 'minor', execution: 'sync' });
}
