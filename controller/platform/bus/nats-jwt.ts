import { randomUUID } from 'node:crypto';
import { isSignedByOwnerOf, type SigningKey } from './nkeys.ts';

/** NATS signs JWTs with an nkey: Ed25519 over `header.claims`. */
const HEADER = Buffer.from(JSON.stringify({ typ: 'JWT', alg: 'ed25519-nkey' })).toString('base64url');

/** `nats` holds the claims of that kind of JWT. */
export interface NatsClaims {
  sub: string;
  aud: string;
  name?: string;
  nats: object;
}

/** A NATS JWT by `issuer`; `nowMs` is Unix ms. */
export function signNatsJwt(issuer: SigningKey, claims: NatsClaims, nowMs: number): string {
  const all = { jti: randomUUID(), iat: Math.floor(nowMs / 1000), iss: issuer.publicKey, ...claims };
  const text = `${HEADER}.${Buffer.from(JSON.stringify(all)).toString('base64url')}`;
  return `${text}.${issuer.sign(text)}`;
}

/** Claims of a JWT signed by its own `iss`, which the caller may trust or not; null for anything else. */
export function readNatsJwt(token: string): unknown {
  const [header, claims, signature, ...rest] = token.split('.');
  if (!header || !claims || !signature || rest.length > 0) return null;
  try {
    const parsed = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { iss?: unknown };
    const { iss } = parsed;
    const isSigned = typeof iss === 'string' && isSignedByOwnerOf(iss, `${header}.${claims}`, signature);
    return isSigned ? parsed : null;
  } catch {
    return null;
  }
}
