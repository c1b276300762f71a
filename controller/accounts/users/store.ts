import type { Db } from 'mongodb';
import { DocumentsById } from '../../platform/mongo/documents.ts';

export interface UserDoc {
  _id: string;
  /** Lower case, unique. */
  email: string;
  name: string;
  password_hash: string;
  /** Grows with every change of the password; sessions of an older version are invalid. */
  token_version: number;
  email_verified: boolean;
  is_operator: boolean;
  /** Only the installation's first account has this. Unique, so that only one account can be first. */
  first?: true;
  /** Unix ms, as all instants in documents. */
  created_at: number;
}

/** Collection `users`. */
export class UserStore extends DocumentsById<UserDoc> {
  constructor(db: Db) {
    super(db, 'users', [
      // Signing in, and one account per address.
      { key: { email: 1 }, name: 'by_email', unique: true },
      // One first account.
      { key: { first: 1 }, name: 'first', unique: true, sparse: true },
    ]);
  }

  async hasAny(): Promise<boolean> {
    return (await this.all.findOne({}, { projection: { _id: 1 } })) !== null;
  }

  /** The installation's first account, which is its operator. */
  findFirst(): Promise<UserDoc | null> {
    return this.findOne({ first: true });
  }

  findByEmail(email: string): Promise<UserDoc | null> {
    return this.findOne({ email });
  }

  /** The user with a new password and token version; null if the password changed since `seen` was read. */
  changePassword(seen: UserDoc, passwordHash: string): Promise<UserDoc | null> {
    const update = { $set: { password_hash: passwordHash }, $inc: { token_version: 1 } };
    return this.change({ _id: seen._id, password_hash: seen.password_hash }, update);
  }

  /** Whoever reads an address's mail owns it. Null if the account is gone or has another address. */
  markVerified(id: string, email: string): Promise<UserDoc | null> {
    return this.change({ _id: id, email }, { $set: { email_verified: true } });
  }

  /**
   * Sets the password by a mailed link, which also verifies the address. Null as for `markVerified`, and if
   * the password was changed after the link was mailed.
   */
  resetPassword(
    link: { user_id: string; email: string; token_version: number }, passwordHash: string,
  ): Promise<UserDoc | null> {
    const { user_id: _id, email, token_version } = link;
    const fields = { password_hash: passwordHash, email_verified: true };
    return this.change({ _id, email, token_version }, { $set: fields, $inc: { token_version: 1 } });
  }
}
