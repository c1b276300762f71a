import { decodeProtectedHeader, errors, jwtVerify, SignJWT, type JWTHeaderParameters } from 'jose';
import { hashSecret } from '../../../shared/ids.ts';
import { AppError } from '../../errors/app-error.ts';
import type { CredentialReader } from '../../http/routing/ports.ts';
import type { KeyActor, SessionActor } from '../../http/routing/route.ts';
import type { ApiKeyDoc } from '../api-keys/store.ts';
import type { AccountDeps } from '../deps.ts';
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

/** Limits the precision of `last_used_at`, so that a busy key does not cause a write per request. */
const TOUCH_INTERVAL_MS = 60_000;

/** Reads credentials from the database for every request, so that revocations take effect immediately. */
export class Credentials implements CredentialReader {
  readonly #deps: Pick<AccountDeps, 'users' | 'sessions' | 'keys' | 'tokens'>;
  /** Keys whose `last_used_at` is being written. */
  readonly #touching = new Set<string>();

  constructor(deps: Pick<AccountDeps, 'users' | 'sessions' | 'keys' | 'tokens'>) {
    this.#deps = deps;
  }

  async readSession(token: string, now: number): Promise<SessionActor> {
    const { tokens, sessions, users } = this.#deps;
    const { secret, userId } = await tokens.verify(token, now);
    const sessionId = hashSecret(secret);
    const [session, user] = await Promise.all([sessions.find(sessionId), users.find(userId)]);
    const isValid = session?.user_id === userId && session.token_version === user?.token_version;
    if (user === null || !isValid) throw invalidToken();
    const { email, name, is_operator: isOperator, email_verified: isVerified } = user;
    return { kind: 'session', userId, email, name, isOperator, isVerified, sessionId };
  }

  async readKey(key: string, now: number): Promise<KeyActor> {
    // Malformed keys are looked up too, so that they take as long as unknown ones.
    const doc = await this.#deps.keys.findByHash(hashSecret(key));
    if (doc === null) throw new AppError('INVALID_API_KEY', 'The API key is not valid');
    const { expires_at: expiresAt, project_ids: projectIds } = doc;
    if (expiresAt !== null && expiresAt <= now) {
      throw new AppError('INVALID_API_KEY', `The API key expired on ${new Date(expiresAt).toISOString()}`);
    }
    if (doc.last_used_at === null || now - doc.last_used_at >= TOUCH_INTERVAL_MS) this.#touch(doc, now);
    const { _id: keyId, name, scope, organization_id: organizationId, created_by: createdBy } = doc;
    return { kind: 'key', keyId, name, scope, organizationId, createdBy, projectIds };
  }

  /** Runs in the background. A failed write is ignored; the next request repeats it. */
  #touch(doc: ApiKeyDoc, now: number): void {
    if (this.#touching.has(doc._id)) return;
    this.#touching.add(doc._id);
    const done = () => this.#touching.delete(doc._id);
    this.#deps.keys.touch(doc._id, doc.hash, now).then(done, done);
  }
}
