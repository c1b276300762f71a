import type { Db } from 'mongodb';
import { newId } from '../../../shared/ids.ts';
import { DocumentsById } from '../../platform/mongo/documents.ts';

export interface UserDoc {
  _id: string;
  /** Lower case, unique. */
  email: string;
  name: string;
  password_hash: string;
  /** Increases with every password change. Sessions with an older version are invalid. */
  token_version: number;
  email_verified: boolean;
  is_operator: boolean;
  /** Set only on the installation's first account. A unique index ensures that there is only one. */
  first?: true;
  /** Unix ms, like all instants in documents. */
  created_at: number;
}

/** Neither verified nor an operator. */
export function newUser(now: number, facts: Pick<UserDoc, 'email' | 'name' | 'password_hash'>): UserDoc {
  const fresh = { token_version: 1, email_verified: false, is_operator: false, created_at: now };
  return { _id: newId(now), ...fresh, ...facts };
}

export class UserStore extends DocumentsById<UserDoc> {
  constructor(db: Db) {
    super(db, 'users', [
      // Finds the account at sign-in and allows one account per address.
      { key: { email: 1 }, name: 'by_email', unique: true },
      // Allows only one first account.
      { key: { first: 1 }, name: 'first', unique: true, sparse: true },
    ]);
  }

  async hasAny(): Promise<boolean> {
    return (await this.all.findOne({}, { projection: { _id: 1 } })) !== null;
  }

  /** The first account, which operates the installation. */
  findFirst(): Promise<UserDoc | null> {
    return this.findOne({ first: true });
  }

  findByEmail(email: string): Promise<UserDoc | null> {
    return this.findOne({ email });
  }

  /** Also increases the token version. Null if the password has changed since `seen` was read. */
  changePassword(seen: UserDoc, passwordHash: string): Promise<UserDoc | null> {
    const update = { $set: { password_hash: passwordHash }, $inc: { token_version: 1 } };
    return this.change({ _id: seen._id, password_hash: seen.password_hash }, update);
  }

  /** Null if the account is gone or has another address by now. */
  markVerified(id: string, email: string): Promise<UserDoc | null> {
    return this.change({ _id: id, email }, { $set: { email_verified: true } });
  }

  /**
   * Sets the password from a mailed link, which also verifies the address. Null if the account is gone, or
   * its address or password has changed since the link was mailed.
   */
  resetPassword(
    link: { user_id: string; email: string; token_version: number }, passwordHash: string,
  ): Promise<UserDoc | null> {
    const { user_id: _id, email, token_version } = link;
    const fields = { password_hash: passwordHash, email_verified: true };
    return this.change({ _id, email, token_version }, { $set: fields, $inc: { token_version: 1 } });
  }
}
