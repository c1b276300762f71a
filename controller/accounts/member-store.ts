import type { Collection, Db } from 'mongodb';
import type { MemberDoc } from './account.ts';

/** Collection `members`: who belongs to which organization. */
export class MemberStore {
  readonly #members: Collection<MemberDoc>;

  constructor(db: Db) {
    this.#members = db.collection<MemberDoc>('members');
  }

  async ensureIndexes(): Promise<void> {
    await this.#members.createIndexes([
      // Every request of a session.
      { key: { user_id: 1, created_at: 1, _id: 1 }, name: 'by_user' },
      // One membership for each person and organization.
      { key: { organization_id: 1, user_id: 1 }, name: 'by_organization', unique: true },
    ]);
  }

  /** Oldest first. */
  listOfUser(userId: string): Promise<MemberDoc[]> {
    return this.#members.find({ user_id: userId }).sort({ created_at: 1, _id: 1 }).toArray();
  }

  async insert(member: MemberDoc): Promise<void> {
    await this.#members.insertOne(member);
  }

  async delete(id: string): Promise<void> {
    await this.#members.deleteOne({ _id: id });
  }
}
