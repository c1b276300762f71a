import type { PeerCertificate } from 'node:tls';
import { LATEST_INSTANT_MS, type TlsFacts } from '../../../shared/contracts/result.ts';
import { printable } from '../check.ts';

/** What a result says of a TLS connection and its certificate. `cert` is empty when the peer showed none. */
export function tlsFactsOf(cert: Partial<PeerCertificate>, valid: boolean, protocol: string): TlsFacts {
  const expiresAt = cert.valid_to === undefined ? NaN : Date.parse(cert.valid_to);
  return {
    valid,
    expires_at: expiresAt >= 0 && expiresAt <= LATEST_INSTANT_MS ? expiresAt : null,
    issuer: nameOf(cert.issuer),
    subject: nameOf(cert.subject),
    fingerprint256: (cert.fingerprint256 ?? '').slice(0, 128),
    protocol: protocol.slice(0, 16),
  };
}

function nameOf(name: PeerCertificate['subject'] | undefined): string {
  const parts = Object.entries(name ?? {}).filter(([key]) => key === 'CN' || key === 'O');
  return printable(parts.map(
    ([key, value]) => `${key}=${Array.isArray(value) ? value.join('+') : String(value)}`,
  ).join(', '))
    .slice(0, 256);
}

const PROBLEMS: Readonly<Record<string, string>> = Object.freeze({
  CERT_HAS_EXPIRED: 'The certificate has expired',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet',
  CERT_REVOKED: 'The certificate is revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate chain ends in a self-signed certificate that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'The certificate chain is incomplete',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate chain is incomplete or its root is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate chain is incomplete',
});

/** A sentence for OpenSSL's verification code; `expiresAt` (Unix ms) is told where it matters. */
export function certificateProblem(code: string, host: string, facts: TlsFacts): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `The certificate is not valid for ${printable(host)}`;
  if (code === 'CERT_HAS_EXPIRED' && facts.expires_at !== null) {
    return `The certificate expired on ${new Date(facts.expires_at).toISOString().slice(0, 10)}`;
  }
  return PROBLEMS[code] ?? `The certificate cannot be verified (${printable(code)})`;
}
