import type { Db } from 'mongodb';
import type { PlanName } from '../../plans/plans.ts';
import { DocumentsById } from '../../platform/mongo/documents.ts';

export interface OrganizationDoc {
  _id: string;
  name: string;
  plan: PlanName;
  created_at: number;
  /** Until then, Unix ms, no other request may demote or remove an owner. */
  owners_locked_until?: number;
}

export class OrganizationStore extends DocumentsById<OrganizationDoc> {
  constructor(db: Db) {
    super(db, 'organizations');
  }

  /** Up to `limit` ids greater than `after`, ascending. */
  async pageOfIds(after: string, limit: number): Promise<string[]> {
    const page = this.all.find({ _id: { $gt: after } }).sort({ _id: 1 }).limit(limit);
    return (await page.project<{ _id: string }>({ _id: 1 }).toArray()).map((doc) => doc._id);
  }

  /** Null if the organization is gone. */
  rename(id: string, name: string): Promise<OrganizationDoc | null> {
    return this.change({ _id: id }, { $set: { name } });
  }

  /** False if the plan has changed since `seen` was read. */
  changePlan(seen: OrganizationDoc, plan: PlanName): Promise<boolean> {
    return this.update({ _id: seen._id, plan: seen.plan }, { $set: { plan } });
  }

  /** False while another request holds the lock. `until` is Unix ms. */
  lockOwners(id: string, now: number, until: number): Promise<boolean> {
    const isFree = [{ owners_locked_until: { $exists: false } }, { owners_locked_until: { $lte: now } }];
    return this.update({ _id: id, $or: isFree }, { $set: { owners_locked_until: until } });
  }

  unlockOwners(id: string, until: number): Promise<boolean> {
    return this.update({ _id: id, owners_locked_until: until }, { $unset: { owners_locked_until: '' } });
  }
}
