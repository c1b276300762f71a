import { randomUUID } from 'node:crypto';
import { isSignedByOwnerOf, type SigningKey } from './nkeys.ts';

/** NATS signs JWTs with an nkey: Ed25519 over `header.claims`. */
const HEADER = Buffer.from(JSON.stringify({ typ: 'JWT', alg: 'ed25519-nkey' })).toString('base64url');

/** `nats` holds the claims specific to the type of JWT. */
export interface NatsJwtPayload {
  sub: string;
  aud: string;
  name?: string;
  nats: object;
}

/** A NATS JWT signed by `issuer`; `nowMs` is Unix ms. */
export function signNatsJwt(issuer: SigningKey, payload: NatsJwtPayload, nowMs: number): string {
  const all = { jti: randomUUID(), iat: Math.floor(nowMs / 1000), iss: issuer.publicKey, ...payload };
  const text = `${HEADER}.${Buffer.from(JSON.stringify(all)).toString('base64url')}`;
  return `${text}.${issuer.sign(text)}`;
}

/** Claims of a JWT signed by its own `iss`, which the caller may not trust; null for anything else. */
export function readNatsJwt(token: string): unknown {
  const [header, payload, signature, ...rest] = token.split('.');
  if (!header || !payload || !signature || rest.length > 0) return null;
  try {
    const parsed = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { iss?: unknown };
    const { iss } = parsed;
    const isSigned = typeof iss === 'string' && isSignedByOwnerOf(iss, `${header}.${payload}`, signature);
    return isSigned ? parsed : null;
  } catch {
    return null;
  }
}
