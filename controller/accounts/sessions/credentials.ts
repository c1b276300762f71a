import { hashSecret } from '../../../shared/ids.ts';
import { AppError } from '../../errors/app-error.ts';
import type { CredentialReader } from '../../http/routing/ports.ts';
import type { KeyActor, SessionActor } from '../../http/routing/route.ts';
import type { ApiKeyDoc } from '../api-keys/store.ts';
import type { AccountDeps } from '../deps.ts';
import { invalidToken } from './tokens.ts';

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
    if (doc.last_used_at === null || now - doc.last_used_at >= TOUCH_INTERVAL_MS) this.#touch(doc, now);
    const { _id: keyId, name, scope, organization_id: organizationId, created_by: createdBy } = doc;
    return { kind: 'key', keyId, name, scope, organizationId, createdBy };
  }

  /** Runs in the background. A failed write is ignored; the next request repeats it. */
  #touch(doc: ApiKeyDoc, now: number): void {
    if (this.#touching.has(doc._id)) return;
    this.#touching.add(doc._id);
    const done = () => this.#touching.delete(doc._id);
    this.#deps.keys.touch(doc._id, doc.hash, now).then(done, done);
  }
}
