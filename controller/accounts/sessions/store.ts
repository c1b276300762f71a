import type { Db } from 'mongodb';
import { DocumentsById } from '../../platform/mongo/documents.ts';

interface SessionDoc {
  /** SHA-256 of the secret in the token. */
  _id: string;
  user_id: string;
  token_version: number;
  created_at: number;
  expires_at: number;
}

/** Collection `sessions`: a token is valid only while its session is here. */
export class SessionStore extends DocumentsById<SessionDoc> {
  constructor(db: Db) {
    // Ending all sessions of a user, and removing expired ones.
    super(db, 'sessions', [{ key: { user_id: 1, expires_at: 1 }, name: 'by_user' }]);
  }

  async deleteOfUser(userId: string): Promise<void> {
    await this.all.deleteMany({ user_id: userId });
  }

  async deleteExpired(userId: string, now: number): Promise<void> {
    await this.all.deleteMany({ user_id: userId, expires_at: { $lte: now } });
  }
}
