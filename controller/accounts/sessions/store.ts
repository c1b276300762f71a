import type { Db } from 'mongodb';
import { DocumentsById } from '../../platform/mongo/documents.ts';

export interface SessionDoc {
  /** SHA-256 of the secret in the token. */
  _id: string;
  user_id: string;
  token_version: number;
  created_at: number;
  expires_at: number;
}

/** Collection `sessions`. A token is valid only while its session exists. */
export class SessionStore extends DocumentsById<SessionDoc> {
  constructor(db: Db) {
    // Lists a user's sessions, and removes them all or only expired ones.
    super(db, 'sessions', [{ key: { user_id: 1, expires_at: 1 }, name: 'by_user' }]);
  }

  /** Unexpired sessions, newest first. */
  listOfUser(userId: string, now: number, limit: number): Promise<SessionDoc[]> {
    const cursor = this.select({ user_id: userId, expires_at: { $gt: now } });
    return cursor.sort({ expires_at: -1 }).limit(limit).toArray();
  }

  /** False if the user has no such session. */
  deleteOne(userId: string, id: string): Promise<boolean> {
    return this.remove({ _id: id, user_id: userId });
  }

  async deleteOfUser(userId: string): Promise<void> {
    await this.all.deleteMany({ user_id: userId });
  }

  async deleteExpired(userId: string, now: number): Promise<void> {
    await this.all.deleteMany({ user_id: userId, expires_at: { $lte: now } });
  }
}
