import type { Collection, Db } from 'mongodb';
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

  async insert(organization: OrganizationDoc): Promise<void> {
    await this.#organizations.insertOne(organization);
  }

  async delete(id: string): Promise<void> {
    await this.#organizations.deleteOne({ _id: id });
  }
}
