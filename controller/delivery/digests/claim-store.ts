import type { Db } from 'mongodb';
import { Documents } from '../../platform/mongo/documents.ts';
import type { WorkClaim } from '../../work/claimed-work.ts';

interface DigestClaimDoc extends WorkClaim {
  /** The digest's id. */
  _id: string;
}

/** Collection `digest_claims`: the queue that is sending each digest, so that only one mail goes out. */
export class DigestClaimStore extends Documents<DigestClaimDoc> {
  constructor(db: Db) {
    super(db, 'digest_claims');
  }

  /** False while somebody else holds the digest. `isFree` decides whether a stored claim has expired. */
  async claim(digestId: string, claim: WorkClaim, isFree: (held: WorkClaim) => boolean): Promise<boolean> {
    if (await this.insertIfFree({ _id: digestId, ...claim })) return true;
    const held = await this.findOne({ _id: digestId });
    if (held === null || !isFree(held)) return false;
    return this.update({ _id: digestId, token: held.token }, { $set: claim });
  }

  async release(digestId: string, token: string): Promise<void> {
    await this.remove({ _id: digestId, token });
  }
}
