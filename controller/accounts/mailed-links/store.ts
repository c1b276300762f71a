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
  /** The user's when the link was mailed: a reset link dies with the next change of the password. */
  token_version: number;
  created_at: number;
  expires_at: number;
}

/** What of a user a token is made from. */
interface TokenHolder {
  _id: string;
  email: string;
  token_version: number;
}

/** Collection `mailed_tokens`: unused tokens of verification and password links. */
export class MailedTokenStore extends Documents<MailedTokenDoc> {
  constructor(db: Db) {
    super(db, 'mailed_tokens', [
      // Every link that is followed.
      { key: { hash: 1 }, name: 'by_hash', unique: true },
      // Ending all tokens of a user, and removing expired ones.
      { key: { user_id: 1, purpose: 1, expires_at: 1 }, name: 'by_user' },
    ]);
  }

  /** A new token of 256 random bits. Also removes the user's expired ones. */
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

  /** Uses the token; null if it is unknown, expired or used. Of several at once one gets it. */
  take(purpose: MailedTokenPurpose, secret: string, now: number): Promise<MailedTokenDoc | null> {
    return this.all.findOneAndDelete({ hash: hashSecret(secret), purpose, expires_at: { $gt: now } });
  }

  async deleteOfUser(userId: string, purpose: MailedTokenPurpose): Promise<void> {
    await this.all.deleteMany({ user_id: userId, purpose });
  }
}
