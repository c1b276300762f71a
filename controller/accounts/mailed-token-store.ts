import type { Collection, Db } from 'mongodb';
import { hashSecret, newId, newSecret } from '../../shared/ids.ts';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import type { MailedTokenDoc, MailedTokenPurpose } from './account.ts';

/** Collection `mailed_tokens`: of each token only its hash is kept, and a token that was used is not here any more. */
export class MailedTokenStore {
  readonly #tokens: Collection<MailedTokenDoc>;

  constructor(db: Db) {
    this.#tokens = db.collection<MailedTokenDoc>('mailed_tokens');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.#tokens, [
      // Every link that is followed.
      { key: { hash: 1 }, name: 'by_hash', unique: true },
      // Ending all tokens of a person, and those that have expired.
      { key: { user_id: 1, purpose: 1, expires_at: 1 }, name: 'by_user' },
    ]);
  }

  /** A new token of 256 random bits; those of this person that have run out are forgotten. */
  async issue(token: { purpose: MailedTokenPurpose; userId: string; email: string; now: number; expiresAt: number }): Promise<string> {
    const { purpose, userId, email, now, expiresAt } = token;
    const secret = newSecret();
    await this.#tokens.deleteMany({ user_id: userId, purpose, expires_at: { $lte: now } });
    await this.#tokens.insertOne({ _id: newId(now), hash: hashSecret(secret), purpose, user_id: userId, email, created_at: now, expires_at: expiresAt });
    return secret;
  }

  find(purpose: MailedTokenPurpose, secret: string, now: number): Promise<MailedTokenDoc | null> {
    return this.#tokens.findOne({ hash: hashSecret(secret), purpose, expires_at: { $gt: now } });
  }

  /** Uses the token up; null when it is unknown, expired or used. Of several at once one gets it. */
  take(purpose: MailedTokenPurpose, secret: string, now: number): Promise<MailedTokenDoc | null> {
    return this.#tokens.findOneAndDelete({ hash: hashSecret(secret), purpose, expires_at: { $gt: now } });
  }

  async deleteOfUser(userId: string, purpose: MailedTokenPurpose): Promise<void> {
    await this.#tokens.deleteMany({ user_id: userId, purpose });
  }
}
