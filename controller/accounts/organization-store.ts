import type { Collection, Db } from 'mongodb';
import type { PlanName } from '../plans/plans.ts';
import type { OrganizationDoc } from './account.ts';

/** Collection `organizations`. */
export class OrganizationStore {
  readonly #organizations: Collection<OrganizationDoc>;

  constructor(db: Db) {
    this.#organizations = db.collection<OrganizationDoc>('organizations');
  }

  find(id: string): Promise<OrganizationDoc | null> {
    return this.#organizations.findOne({ _id: id });
  }

  findMany(ids: string[]): Promise<OrganizationDoc[]> {
    return ids.length === 0 ? Promise.resolve([]) : this.#organizations.find({ _id: { $in: ids } }).toArray();
  }

  /** Ids in order, from behind `after`. */
  async pageOfIds(after: string, limit: number): Promise<string[]> {
    const page = this.#organizations.find({ _id: { $gt: after } }).sort({ _id: 1 }).limit(limit);
    return (await page.project<{ _id: string }>({ _id: 1 }).toArray()).map((doc) => doc._id);
  }

  async insert(organization: OrganizationDoc): Promise<void> {
    await this.#organizations.insertOne(organization);
  }

  async delete(id: string): Promise<void> {
    await this.#organizations.deleteOne({ _id: id });
  }

  /** Null when it is gone. */
  rename(id: string, name: string): Promise<OrganizationDoc | null> {
    return this.#organizations.findOneAndUpdate({ _id: id }, { $set: { name } }, { returnDocument: 'after' });
  }

  /** False when its plan has changed since `seen` was read. */
  async changePlan(seen: OrganizationDoc, plan: PlanName): Promise<boolean> {
    return (await this.#organizations.updateOne({ _id: seen._id, plan: seen.plan }, { $set: { plan } })).matchedCount === 1;
  }

  /** Holds the owners until then; false while somebody else does. */
  async lockOwners(id: string, now: number, until: number): Promise<boolean> {
    const isFree = { $or: [{ owners_locked_until: { $exists: false } }, { owners_locked_until: { $lte: now } }] };
    return (await this.#organizations.updateOne({ _id: id, ...isFree }, { $set: { owners_locked_until: until } })).matchedCount === 1;
  }

  async unlockOwners(id: string, until: number): Promise<void> {
    await this.#organizations.updateOne({ _id: id, owners_locked_until: until }, { $unset: { owners_locked_until: '' } });
  }
}
