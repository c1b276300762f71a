import { randomUUID } from 'node:crypto';
import { isSignedBy, type SigningKey } from './nkeys.ts';

/** Header of the JWTs that NATS uses: Ed25519 by an nkey, over `header.claims`. */
const HEADER = Buffer.from(JSON.stringify({ typ: 'JWT', alg: 'ed25519-nkey' })).toString('base64url');

/** A NATS JWT by `issuer`. `nats` is what the kind of JWT calls for; `nowMs` is Unix ms. */
export function signNatsJwt(issuer: SigningKey, claims: { sub: string; aud: string; name?: string; nats: object }, nowMs: number): string {
  const all = { jti: randomUUID(), iat: Math.floor(nowMs / 1000), iss: issuer.publicKey, ...claims };
  const text = `${HEADER}.${Buffer.from(JSON.stringify(all)).toString('base64url')}`;
  return `${text}.${issuer.sign(text)}`;
}

/** The claims of a JWT that is signed by its own `iss`; null for anything else. Whether that issuer is to be believed is the caller's to say. */
export function readNatsJwt(token: string): unknown {
  const [header, claims, signature, ...rest] = token.split('.');
  if (!header || !claims || !signature || rest.length > 0) return null;
  try {
    const parsed = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { iss?: unknown };
    return typeof parsed.iss === 'string' && isSignedBy(parsed.iss, `${header}.${claims}`, signature) ? parsed : null;
  } catch {
    return null;
  }
}
