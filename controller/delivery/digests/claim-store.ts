import type { Db } from 'mongodb';
import { Documents } from '../../platform/mongo/documents.ts';

interface DigestClaimDoc {
  /** The digest's id. */
  _id: string;
  token: string;
  /** Unix ms. */
  until: number;
}

/** Collection `digest_claims`: who is sending which digest, so that one mail goes out. */
export class DigestClaimStore extends Documents<DigestClaimDoc> {
  constructor(db: Db) {
    super(db, 'digest_claims');
  }

  /** False while somebody else holds the digest. */
  async claim(digestId: string, claim: { token: string; until: number }, now: number): Promise<boolean> {
    const { token, until } = claim;
    if (await this.insertIfFree({ _id: digestId, token, until })) return true;
    return this.update({ _id: digestId, until: { $lte: now } }, { $set: { token, until } });
  }

  async release(digestId: string, token: string): Promise<void> {
    await this.remove({ _id: digestId, token });
  }
}
