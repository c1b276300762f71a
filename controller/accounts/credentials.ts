import { AppError } from '../../shared/errors.ts';
import { hashSecret } from '../../shared/ids.ts';
import type { CredentialReader, KeyIdentity, SessionIdentity } from '../http/access.ts';
import type { ApiKeyDoc } from './account.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import type { SessionStore } from './session-store.ts';
import { invalidToken, type SessionTokens } from './session-tokens.ts';
import type { UserStore } from './user-store.ts';

export interface CredentialDeps {
  users: UserStore;
  sessions: SessionStore;
  keys: ApiKeyStore;
  tokens: SessionTokens;
}

/** `last_used_at` is kept to the minute, so that a busy key is not a write per request. */
const TOUCH_EVERY_MS = 60_000;

/** Reads credentials from the database at every request, so that what is revoked anywhere is dead at once everywhere. */
export class Credentials implements CredentialReader {
  readonly #deps: CredentialDeps;
  readonly #touching = new Set<string>();

  constructor(deps: CredentialDeps) {
    this.#deps = deps;
  }

  async readSession(token: string, now: number): Promise<SessionIdentity> {
    const claims = await this.#deps.tokens.verify(token, now);
    const [session, user] = await Promise.all([this.#deps.sessions.find(claims.sessionId), this.#deps.users.find(claims.userId)]);
    if (session === null || user === null || session.user_id !== user._id || session.token_version !== user.token_version) throw invalidToken();
    return {
      actor: { kind: 'session', userId: user._id, email: user.email, name: user.name, isOperator: user.is_operator, sessionId: session._id },
      isVerified: user.email_verified,
    };
  }

  async readKey(key: string, now: number): Promise<KeyIdentity> {
    // Looked up whatever its form, so that time does not tell a malformed key from an unknown one.
    const doc = await this.#deps.keys.findByHash(hashSecret(key));
    if (doc === null) throw new AppError('INVALID_API_KEY', 'The API key is not valid');
    if (doc.last_used_at === null || now - doc.last_used_at >= TOUCH_EVERY_MS) this.#touch(doc, now);
    return { actor: { kind: 'key', keyId: doc._id, name: doc.name, scope: doc.scope, createdBy: doc.created_by }, organizationId: doc.organization_id };
  }

  /** Nobody waits for it, and a failure costs no more than a minute's precision. */
  #touch(doc: ApiKeyDoc, now: number): void {
    if (this.#touching.has(doc._id)) return;
    this.#touching.add(doc._id);
    const done = () => this.#touching.delete(doc._id);
    this.#deps.keys.touch(doc._id, doc.hash, now).then(done, done);
  }
}
