import type { TlsFacts } from '../../../shared/contracts/result.ts';

/** A flaw of a TLS connection or its certificate: a code that never changes, and a sentence. */
export interface TlsFlaw {
  code: string;
  message: string;
}

const OUTDATED_PROTOCOLS = new Set(['SSLv3', 'TLSv1', 'TLSv1.1']);
/** Keys with fewer bits are weak, by type: the minimum that public authorities still sign. */
const MIN_KEY_BITS: Readonly<Record<string, number>> = Object.freeze({ RSA: 2048, DSA: 2048, EC: 256 });
const MAX_MESSAGE_LENGTH = 256;

/**
 * The flaws of a connection, in a fixed order: untrusted certificate, protocol older than TLS 1.2, short key,
 * signature with a broken hash. Empty if there are none.
 */
export function flawsOf({ valid, problem, protocol, key, weak_signature: hash }: TlsFacts): TlsFlaw[] {
  const flaws: TlsFlaw[] = [];
  if (problem) flaws.push({ code: problem.code, message: problem.message.slice(0, MAX_MESSAGE_LENGTH) });
  else if (!valid) flaws.push({ code: 'unknown', message: 'The certificate cannot be verified' });
  if (OUTDATED_PROTOCOLS.has(protocol)) {
    flaws.push({ code: 'weak_protocol', message: `The server uses ${protocol}, which is outdated` });
  }
  if (isWeak(key)) flaws.push({ code: 'weak_key', message: `The certificate has a weak key (${key})` });
  if (hash) {
    flaws.push({ code: 'weak_signature', message: `The certificate is signed with ${hash}, which is broken` });
  }
  return flaws;
}

/** `key` is a type and a size or curve: `RSA 1024`, `EC P-192`. */
function isWeak(key: string): boolean {
  const [type = '', size = ''] = key.split(' ');
  const bits = Number(/\d{3,5}/.exec(size)?.[0] ?? NaN);
  return bits < (MIN_KEY_BITS[type] ?? 0);
}
