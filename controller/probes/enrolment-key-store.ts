import type { Db } from 'mongodb';
import { Documents, restoring } from '../platform/mongo/documents.ts';

/** A document of `enrolment_keys`. Timestamps are Unix ms. */
export interface EnrolmentKeyDoc {
  _id: string;
  region_id: string;
  /** The organization of its region. */
  organization_id: string | null;
  name: string;
  /** SHA-256 of the key, hexadecimal. The key itself is not stored. */
  hash: string;
  expires_at: number | null;
  max_uses: number | null;
  uses: number;
  is_ephemeral: boolean;
  name_prefix: string | null;
  /** Client addresses that may use it; empty for all. */
  cidrs: string[];
  /** User nkeys with a counted use and no stored probe yet, so that a repeated request counts once. */
  claims: string[];
  /** Id of a user. */
  created_by: string;
  created_at: number;
  last_used_at: number | null;
}

/** Collection `enrolment_keys`. Deleted keys are removed; expired and used-up ones stay listed. */
export class EnrolmentKeyStore extends Documents<EnrolmentKeyDoc> {
  constructor(db: Db) {
    super(db, 'enrolment_keys', [
      // Enrolment looks up a key by its hash.
      { key: { hash: 1 }, name: 'by_hash', unique: true },
      // Lists a region's keys, oldest first.
      { key: { region_id: 1, created_at: 1, _id: 1 }, name: 'by_region' },
      // Lists the keys that a member created.
      { key: { organization_id: 1, created_by: 1 }, name: 'by_author' },
    ], restoring<EnrolmentKeyDoc>({
      organization_id: null, expires_at: null, max_uses: null, name_prefix: null, last_used_at: null,
    }));
  }

  findByHash(hash: string): Promise<EnrolmentKeyDoc | null> {
    return this.findOne({ hash });
  }

  /** The keys that the region's owner made, oldest first. */
  ofRegion({ _id, organization_id }: RegionOwner): Promise<EnrolmentKeyDoc[]> {
    return this.select({ region_id: _id, organization_id }).sort({ created_at: 1, _id: 1 }).toArray();
  }

  /** Oldest first. */
  createdBy(organizationId: string, userId: string): Promise<EnrolmentKeyDoc[]> {
    const filter = { organization_id: organizationId, created_by: userId };
    return this.select(filter).sort({ created_at: 1, _id: 1 }).toArray();
  }

  /** Returns the number of deleted keys. */
  async deleteCreatedBy(organizationId: string, userId: string): Promise<number> {
    const filter = { organization_id: organizationId, created_by: userId };
    return (await this.all.deleteMany(filter)).deletedCount;
  }

  countOfRegion({ _id, organization_id }: RegionOwner): Promise<number> {
    return this.count({ region_id: _id, organization_id });
  }

  /** False if the region's owner has no such key in it. */
  delete({ _id, organization_id }: RegionOwner, id: string): Promise<boolean> {
    return this.remove({ _id: id, region_id: _id, organization_id });
  }

  async deleteOfRegion({ _id, organization_id }: RegionOwner): Promise<void> {
    await this.all.deleteMany({ region_id: _id, organization_id });
  }

  /** Counts a use for the nkey. False if none is left, the nkey has a claim, or the key was deleted. */
  claim({ _id, max_uses }: EnrolmentKeyDoc, nkey: string, now: number): Promise<boolean> {
    const left = max_uses === null ? {} : { uses: { $lt: max_uses } };
    return this.update({ _id, claims: { $ne: nkey }, ...left }, {
      $inc: { uses: 1 }, $addToSet: { claims: nkey }, $set: { last_used_at: now },
    });
  }

  async hasClaim({ _id }: EnrolmentKeyDoc, nkey: string): Promise<boolean> {
    return (await this.count({ _id, claims: nkey })) > 0;
  }

  /** Ends a claim whose probe is stored. */
  async settle({ _id }: EnrolmentKeyDoc, nkey: string): Promise<void> {
    await this.update({ _id, claims: nkey }, { $pull: { claims: nkey } });
  }

  /** Takes back the use of a claim that led to no probe. */
  async release({ _id }: EnrolmentKeyDoc, nkey: string): Promise<void> {
    await this.update({ _id, claims: nkey }, { $inc: { uses: -1 }, $pull: { claims: nkey } });
  }
}

interface RegionOwner {
  _id: string;
  organization_id: string | null;
}
