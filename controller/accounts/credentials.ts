import { AppError } from '../../shared/errors.ts';
import { hashSecret } from '../../shared/ids.ts';
import type { CredentialReader } from '../http/ports.ts';
import type { KeyActor, SessionActor } from '../http/route.ts';
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

  async readSession(token: string, now: number): Promise<SessionActor> {
    const claims = await this.#deps.tokens.verify(token, now);
    const [session, user] = await Promise.all([this.#deps.sessions.find(claims.sessionId), this.#deps.users.find(claims.userId)]);
    if (session === null || user === null || session.user_id !== user._id || session.token_version !== user.token_version) throw invalidToken();
    const { _id: userId, email, name, is_operator: isOperator, email_verified: isVerified } = user;
    return { kind: 'session', userId, email, name, isOperator, isVerified, sessionId: session._id };
  }

  async readKey(key: string, now: number): Promise<KeyActor> {
    // Looked up whatever its form, so that time does not tell a malformed key from an unknown one.
    const doc = await this.#deps.keys.findByHash(hashSecret(key));
    if (doc === null) throw new AppError('INVALID_API_KEY', 'The API key is not valid');
    if (doc.last_used_at === null || now - doc.last_used_at >= TOUCH_EVERY_MS) this.#touch(doc, now);
    const { _id: keyId, name, scope, organization_id: organizationId, created_by: createdBy } = doc;
    return { kind: 'key', keyId, name, scope, organizationId, createdBy };
  }

  /** Nobody waits for it, and a failure costs no more than a minute's precision. */
  #touch(doc: ApiKeyDoc, now: number): void {
    if (this.#touching.has(doc._id)) return;
    this.#touching.add(doc._id);
    const done = () => this.#touching.delete(doc._id);
    this.#deps.keys.touch(doc._id, doc.hash, now).then(done, done);
  }
}
