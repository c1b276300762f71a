import type { Db } from 'mongodb';
import type { PlanName } from '../../plans/plans.ts';
import { DocumentsById } from '../../platform/mongo/documents.ts';

export interface OrganizationDoc {
  _id: string;
  name: string;
  plan: PlanName;
  created_at: number;
  /** While a request demotes or removes an owner, no other request may; Unix ms. */
  owners_locked_until?: number;
}

/** Collection `organizations`. */
export class OrganizationStore extends DocumentsById<OrganizationDoc> {
  constructor(db: Db) {
    super(db, 'organizations');
  }

  /** Ids in order, starting after `after`. */
  async pageOfIds(after: string, limit: number): Promise<string[]> {
    const page = this.all.find({ _id: { $gt: after } }).sort({ _id: 1 }).limit(limit);
    return (await page.project<{ _id: string }>({ _id: 1 }).toArray()).map((doc) => doc._id);
  }

  /** Null if it is gone. */
  rename(id: string, name: string): Promise<OrganizationDoc | null> {
    return this.change({ _id: id }, { $set: { name } });
  }

  /** False if the plan has changed since `seen` was read. */
  changePlan(seen: OrganizationDoc, plan: PlanName): Promise<boolean> {
    return this.update({ _id: seen._id, plan: seen.plan }, { $set: { plan } });
  }

  /** Locks the owners until `until`; false while another request has locked them. */
  lockOwners(id: string, now: number, until: number): Promise<boolean> {
    const isFree = [{ owners_locked_until: { $exists: false } }, { owners_locked_until: { $lte: now } }];
    return this.update({ _id: id, $or: isFree }, { $set: { owners_locked_until: until } });
  }

  unlockOwners(id: string, until: number): Promise<boolean> {
    return this.update({ _id: id, owners_locked_until: until }, { $unset: { owners_locked_until: '' } });
  }
}
