import type { Db } from 'mongodb';
import { hashSecret, newId, newSecret } from '../../../shared/ids.ts';
import { Documents } from '../../platform/mongo/documents.ts';

type MailedTokenPurpose = 'verify_email' | 'reset_password';

interface MailedTokenDoc {
  _id: string;
  /** SHA-256 of the token, hexadecimal, unique. The token itself is not stored. */
  hash: string;
  purpose: MailedTokenPurpose;
  user_id: string;
  email: string;
  /** The user's version when the link was mailed. A password change invalidates older reset links. */
  token_version: number;
  created_at: number;
  expires_at: number;
}

/** The user's fields that a token records. */
interface TokenHolder {
  _id: string;
  email: string;
  token_version: number;
}

/** Collection `mailed_tokens`: unused tokens of verification and password reset links. */
export class MailedTokenStore extends Documents<MailedTokenDoc> {
  constructor(db: Db) {
    super(db, 'mailed_tokens', [
      // Finds the token of a mailed link.
      { key: { hash: 1 }, name: 'by_hash', unique: true },
      // Removes a user's tokens, all of them or only expired ones.
      { key: { user_id: 1, purpose: 1, expires_at: 1 }, name: 'by_user' },
    ]);
  }

  /** Returns a new token of 256 random bits and removes the user's expired tokens. */
  async issue(
    purpose: MailedTokenPurpose, user: TokenHolder, now: number, validMs: number,
  ): Promise<string> {
    const secret = newSecret();
    const { _id: user_id, email, token_version } = user;
    await this.all.deleteMany({ user_id, purpose, expires_at: { $lte: now } });
    await this.insert({
      _id: newId(now), hash: hashSecret(secret), purpose, user_id, email, token_version,
      created_at: now, expires_at: now + validMs,
    });
    return secret;
  }

  find(purpose: MailedTokenPurpose, secret: string, now: number): Promise<MailedTokenDoc | null> {
    return this.findOne({ hash: hashSecret(secret), purpose, expires_at: { $gt: now } });
  }

  /**
   * Consumes the token. Null if it is unknown, expired or used; one of several simultaneous calls gets it.
   */
  take(purpose: MailedTokenPurpose, secret: string, now: number): Promise<MailedTokenDoc | null> {
    return this.all.findOneAndDelete({ hash: hashSecret(secret), purpose, expires_at: { $gt: now } });
  }

  async deleteOfUser(userId: string, purpose: MailedTokenPurpose): Promise<void> {
    await this.all.deleteMany({ user_id: userId, purpose });
  }
}
