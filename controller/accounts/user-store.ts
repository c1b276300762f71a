import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { unlessTaken } from '../platform/mongo/mongo-errors.ts';
import type { UserDoc } from './account.ts';

/** Collection `users`. */
export class UserStore {
  readonly #users: Collection<UserDoc>;

  constructor(db: Db) {
    this.#users = db.collection<UserDoc>('users');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.#users, [
      // Logging in, and one account for each address.
      { key: { email: 1 }, name: 'by_email', unique: true },
      // One first account.
      { key: { first: 1 }, name: 'first', unique: true, sparse: true },
    ]);
  }

  async hasAny(): Promise<boolean> {
    return (await this.#users.findOne({}, { projection: { _id: 1 } })) !== null;
  }

  find(id: string): Promise<UserDoc | null> {
    return this.#users.findOne({ _id: id });
  }

  findByEmail(email: string): Promise<UserDoc | null> {
    return this.#users.findOne({ email });
  }

  /** False when the address is taken, or when somebody else is first already. */
  insert(user: UserDoc): Promise<boolean> {
    return unlessTaken(this.#users.insertOne(user));
  }

  /** The user with its new password and token version; null when the password has changed since `seen` was read. */
  changePassword(seen: UserDoc, passwordHash: string): Promise<UserDoc | null> {
    return this.#users.findOneAndUpdate(
      { _id: seen._id, password_hash: seen.password_hash },
      { $set: { password_hash: passwordHash }, $inc: { token_version: 1 } },
      { returnDocument: 'after' },
    );
  }

  findMany(ids: string[]): Promise<UserDoc[]> {
    return ids.length === 0 ? Promise.resolve([]) : this.#users.find({ _id: { $in: ids } }).toArray();
  }

  /** Whoever reads this address's mail has shown that it is theirs. False when the account is gone or has another address. */
  async markVerified(id: string, email: string): Promise<boolean> {
    return (await this.#users.updateOne({ _id: id, email }, { $set: { email_verified: true } })).matchedCount === 1;
  }

  /** Another password by a mailed link, which also verifies the address. Null as with `markVerified`. */
  resetPassword(id: string, email: string, passwordHash: string): Promise<UserDoc | null> {
    return this.#users.findOneAndUpdate(
      { _id: id, email },
      { $set: { password_hash: passwordHash, email_verified: true }, $inc: { token_version: 1 } },
      { returnDocument: 'after' },
    );
  }
}
