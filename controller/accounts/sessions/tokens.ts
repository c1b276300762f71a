import { decodeProtectedHeader, errors, jwtVerify, SignJWT, type JWTHeaderParameters } from 'jose';
import { AppError } from '../../errors/app-error.ts';
import type { KeyRing } from './key-ring.ts';

const ISSUER = 'farwatch';
const AUDIENCE = 'farwatch-api';
/** Explicit typing (RFC 8725, 3.11), so that no other kind of token passes for a session. */
const TYPE = 'session+jwt';

interface SessionClaims {
  userId: string;
  /** Its hash is the session's id, so that nobody can forge a session with the signing keys alone. */
  secret: string;
}

/** Signs and verifies session tokens with the keys of the ring. Accepts only EdDSA. */
export class SessionTokens {
  readonly #ring: KeyRing;

  constructor(ring: KeyRing) {
    this.#ring = ring;
  }

  /** `now` and `expiresAt` are Unix ms. */
  sign(claims: SessionClaims, now: number, expiresAt: number): Promise<string> {
    return new SignJWT({ sid: claims.secret })
      .setProtectedHeader({ alg: 'EdDSA', kid: this.#ring.signing.kid, typ: TYPE })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(claims.userId)
      .setIssuedAt(Math.floor(now / 1000))
      .setExpirationTime(Math.ceil(expiresAt / 1000))
      .sign(this.#ring.signing.key);
  }

  /** Throws TOKEN_EXPIRED if the token was valid once, INVALID_TOKEN if it never was. */
  async verify(token: string, now: number): Promise<SessionClaims> {
    try {
      rejectEmbeddedKeys(token);
      const { payload } = await jwtVerify(token, (header) => this.#key(header), {
        algorithms: ['EdDSA'], issuer: ISSUER, audience: AUDIENCE, typ: TYPE,
        requiredClaims: ['exp', 'iat', 'sub', 'sid'], currentDate: new Date(now),
      });
      const { sub: userId, sid: secret } = payload;
      if (typeof userId !== 'string' || typeof secret !== 'string') throw invalidToken();
      return { userId, secret };
    } catch (error) {
      if (!(error instanceof errors.JWTExpired)) throw invalidToken();
      throw new AppError('TOKEN_EXPIRED', 'The session token has expired');
    }
  }

  #key({ kid = '' }: JWTHeaderParameters) {
    const key = this.#ring.verifying.get(kid);
    if (key === undefined) throw invalidToken();
    return key;
  }
}

/** Rejects tokens that carry their own key or a URL of one. */
function rejectEmbeddedKeys(token: string): void {
  const header = decodeProtectedHeader(token);
  if (['jku', 'jwk', 'x5u', 'x5c'].some((name) => name in header)) throw invalidToken();
}

export function invalidToken(): AppError {
  return new AppError('INVALID_TOKEN', 'The session token is not valid');
}
