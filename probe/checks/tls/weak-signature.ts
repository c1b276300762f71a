import { enter, SEQUENCE } from './der-value.ts';

const OBJECT_IDENTIFIER = 0x06;

/** Algorithm identifiers (DER, hex) by the broken hash they use: RFC 3279 section 2.2, RFC 5758. */
const BROKEN: Readonly<Record<string, 'MD5' | 'SHA-1'>> = Object.freeze({
  '2a864886f70d010104': 'MD5',
  '2a864886f70d010105': 'SHA-1',
  '2a8648ce380403': 'SHA-1',
  '2a8648ce3d0401': 'SHA-1',
});

/**
 * The broken hash in a certificate's (DER) signature; null for other hashes or invalid certificates. Node has
 * no accessor for it. A certificate is a sequence of its content, the algorithm and the signature.
 */
export function weakSignatureOf(der: Uint8Array): 'MD5' | 'SHA-1' | null {
  const certificate = enter(der, 0, SEQUENCE);
  const content = certificate && enter(der, certificate.start, SEQUENCE);
  const algorithm = content && enter(der, content.end, SEQUENCE);
  const id = algorithm && enter(der, algorithm.start, OBJECT_IDENTIFIER);
  if (!id || id.end - id.start > 16) return null;
  return BROKEN[Buffer.from(der.subarray(id.start, id.end)).toString('hex')] ?? null;
}
