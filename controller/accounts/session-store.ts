import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import type { SessionDoc } from './account.ts';

/** Collection `sessions`: a token is good only while its session is here. */
export class SessionStore {
  readonly #sessions: Collection<SessionDoc>;

  constructor(db: Db) {
    this.#sessions = db.collection<SessionDoc>('sessions');
  }

  async ensureIndexes(): Promise<void> {
    // Ending all sessions of a person, and those that have expired.
    await ensureIndexes(this.#sessions, [{ key: { user_id: 1, expires_at: 1 }, name: 'by_user' }]);
  }

  find(id: string): Promise<SessionDoc | null> {
    return this.#sessions.findOne({ _id: id });
  }

  async insert(session: SessionDoc): Promise<void> {
    await this.#sessions.insertOne(session);
  }

  async delete(id: string): Promise<void> {
    await this.#sessions.deleteOne({ _id: id });
  }

  async deleteOfUser(userId: string): Promise<void> {
    await this.#sessions.deleteMany({ user_id: userId });
  }

  async deleteExpired(userId: string, now: number): Promise<void> {
    await this.#sessions.deleteMany({ user_id: userId, expires_at: { $lte: now } });
  }
}
