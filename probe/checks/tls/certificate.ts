import type { X509Certificate } from 'node:crypto';
import { createSecureContext, type PeerCertificate } from 'node:tls';
import { LATEST_INSTANT_MS, TLS_LIMITS, type TlsFacts } from '../../../shared/contracts/result.ts';
import { printable } from '../check.ts';
import { namesOf } from './certificate-names.ts';
import { weakSignatureOf } from './weak-signature.ts';

type CertificateFacts = Omit<TlsFacts, 'valid' | 'protocol' | 'problem'>;

const NONE: CertificateFacts = Object.freeze({
  expires_at: null, issuer: '', subject: '', fingerprint256: '', names: [], more_names: 0, valid_from: null,
  key: '', weak_signature: null,
});

/** A certificate's fields, truncated to TLS_LIMITS; empty if the peer presented none. */
export function certificateFacts(certificate: X509Certificate | null): CertificateFacts {
  if (certificate === null) return NONE;
  const { subject, issuer, valid_from, valid_to, ...other } = legacyObjectOf(certificate);
  const { names, more } = namesOf(other.subjectaltname ?? '');
  return {
    expires_at: instantOf(valid_to), issuer: nameOf(issuer), subject: nameOf(subject),
    fingerprint256: other.fingerprint256, names, more_names: more, valid_from: instantOf(valid_from),
    key: keyOf(certificate), weak_signature: weakSignatureOf(certificate.raw),
  };
}

/**
 * Uses a function of node:tls so that bundles import the module: if `toLegacyObject` loads it first, Node 20
 * breaks that function for the whole process.
 */
function legacyObjectOf(certificate: X509Certificate): PeerCertificate {
  void createSecureContext;
  return certificate.toLegacyObject();
}

/** Unix ms; null for dates outside our calendars' range. */
function instantOf(text: string): number | null {
  const at = Date.parse(text);
  return at >= 0 && at <= LATEST_INSTANT_MS ? at : null;
}

function nameOf(name: PeerCertificate['subject'] | undefined): string {
  const parts = Object.entries(name ?? {}).filter(([key]) => key === 'CN' || key === 'O');
  return printable(parts.map(
    ([key, value]) => `${key}=${Array.isArray(value) ? value.join('+') : String(value)}`,
  ).join(', '))
    .slice(0, TLS_LIMITS.text);
}

/** Common names of curves that OpenSSL names differently. */
const CURVES: Readonly<Record<string, string>> = Object.freeze({
  prime192v1: 'P-192', secp224r1: 'P-224', prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521',
});

/** For example `RSA 2048`, `EC P-256` or `ED25519`; empty if OpenSSL can't read the key. */
function keyOf(certificate: X509Certificate): string {
  try {
    const { asymmetricKeyType: type = '', asymmetricKeyDetails: details } = certificate.publicKey;
    const curve = details?.namedCurve;
    const size = curve === undefined ? details?.modulusLength : (CURVES[curve] ?? curve);
    return printable(`${type.toUpperCase()} ${size ?? ''}`.trim()).slice(0, 64);
  } catch {
    return '';
  }
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

/** A sentence for OpenSSL's verification code; includes `expiresAt` (Unix ms) where relevant. */
export function certificateProblem(code: string, host: string, expiresAt: number | null): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `The certificate is not valid for ${printable(host)}`;
  if (code === 'CERT_HAS_EXPIRED' && expiresAt !== null) {
    return `The certificate expired on ${new Date(expiresAt).toISOString().slice(0, 10)}`;
  }
  return PROBLEMS[code] ?? `The certificate cannot be verified (${printable(code)})`;
}
