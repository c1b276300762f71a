import type { Collection, Db } from 'mongodb';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { restoring } from '../platform/mongo/documents.ts';
import type { DestinationSettings } from './channels/registry.ts';
import type { Conditions } from './conditions.ts';
import type { DestinationDoc, DestinationFields } from './destination.ts';

/** Far more destinations than a project may create. */
const MAX_LISTED_IN_PROJECT = 1000;
/** Limits how many destinations receive the probe events of an organization. */
const MAX_LISTED_IN_ORGANIZATION = 1000;
/** Limits how many destinations have their alerts repeated. */
const MAX_LISTED_OF_TYPES = 1000;

export type DestinationChange = Partial<Pick<DestinationFields, 'name' | 'enabled' | 'is_default' | 'events' | 'managed_by' | keyof Conditions>>
  & Pick<DestinationFields, 'updated_at'> & { config?: DestinationSettings['config'] };

const restore = restoring<DestinationDoc>({
  secret: null, filter: null, hours: null, delay_minutes: null, reminder_minutes: null, grouping: null,
});

export class DestinationStore {
  readonly #destinations: Collection<DestinationDoc>;

  constructor(db: Db) {
    this.#destinations = db.collection<DestinationDoc>('destinations');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.#destinations, [
      // Lists a project's destinations.
      { key: { organization_id: 1, project_id: 1, created_at: -1, _id: -1 }, name: 'list' },
      // Finds the destinations of monitors without their own.
      { key: { organization_id: 1, project_id: 1, is_default: 1 }, name: 'defaults' },
      // Finds destinations whose alerts must be repeated.
      { key: { type: 1, _id: 1 }, name: 'of_type' },
    ]);
  }

  async insert(doc: DestinationDoc): Promise<void> {
    await this.#destinations.insertOne(doc);
  }

  /** Null if it does not exist or belongs to another tenant. */
  find(tenant: Tenant, id: string): Promise<DestinationDoc | null> {
    return restored(this.#destinations.findOne({ ...ownedBy(tenant), _id: id }));
  }

  /** Searches all tenants, for deliveries, which know only the id. */
  findById(id: string): Promise<DestinationDoc | null> {
    return restored(this.#destinations.findOne({ _id: id }));
  }

  /** Newest first. */
  list(tenant: Tenant): Promise<DestinationDoc[]> {
    const all = this.#destinations.find(ownedBy(tenant)).sort({ created_at: -1, _id: -1 });
    return all.limit(MAX_LISTED_IN_PROJECT).map(restore).toArray();
  }

  /** Those of `ids` that belong to the project. */
  named(tenant: Tenant, ids: string[]): Promise<DestinationDoc[]> {
    const filter = { ...ownedBy(tenant), _id: { $in: ids } };
    return this.#destinations.find(filter).limit(MAX_LISTED_IN_PROJECT).map(restore).toArray();
  }

  /** Those that receive the alerts of monitors without their own destinations. */
  defaults(tenant: Tenant): Promise<DestinationDoc[]> {
    const defaults = this.#destinations.find({ ...ownedBy(tenant), is_default: true });
    return defaults.limit(MAX_LISTED_IN_PROJECT).map(restore).toArray();
  }

  /** Across all projects of the organization, oldest first. */
  ofOrganization(organizationId: string): Promise<DestinationDoc[]> {
    const all = this.#destinations.find({ organization_id: organizationId }).sort({ _id: 1 });
    return all.limit(MAX_LISTED_IN_ORGANIZATION).map(restore).toArray();
  }

  /** Of all tenants, oldest first. */
  ofTypes(types: readonly string[]): Promise<DestinationDoc[]> {
    const all = this.#destinations.find({ type: { $in: types as DestinationSettings['type'][] } }).sort({ _id: 1 });
    return all.limit(MAX_LISTED_OF_TYPES).map(restore).toArray();
  }

  count(tenant: Tenant): Promise<number> {
    return this.#destinations.countDocuments(ownedBy(tenant));
  }

  /** Returns those of `ids` that are not destinations of this project. */
  async unknownDestinations(tenant: Tenant, ids: string[]): Promise<string[]> {
    const filter = { ...ownedBy(tenant), _id: { $in: ids } };
    const found = await this.#destinations.find(filter).project<{ _id: string }>({ _id: 1 }).toArray();
    const existingIds = new Set(found.map((one) => one._id));
    return ids.filter((id) => !existingIds.has(id));
  }

  /** Null if the revision has changed since `seen` was read. */
  change(seen: DestinationDoc, change: DestinationChange): Promise<DestinationDoc | null> {
    const { _id, organization_id, project_id, revision } = seen;
    return restored(this.#destinations.findOneAndUpdate(
      { _id, organization_id, project_id, revision },
      // The type of a destination never changes, so `config` still fits it.
      { $set: change as Partial<DestinationDoc>, $inc: { revision: 1 } },
      { returnDocument: 'after' },
    ));
  }

  /** Returns the stored secret, or stores `candidate` if there is none. Null if the destination is gone. */
  async ensureSecret(id: string, candidate: string): Promise<string | null> {
    const stored = await this.findById(id);
    if (stored === null || stored.secret !== null) return stored?.secret ?? null;
    await this.#destinations.updateOne({ _id: id, secret: null }, { $set: { secret: candidate } });
    return (await this.findById(id))?.secret ?? null;
  }

  /** False if the destination is gone. */
  async replaceSecret(tenant: Tenant, id: string, secret: string): Promise<boolean> {
    const filter = { ...ownedBy(tenant), _id: id };
    return (await this.#destinations.updateOne(filter, { $set: { secret } })).matchedCount === 1;
  }

  /** False if it does not exist or belongs to another tenant. */
  async remove(tenant: Tenant, id: string): Promise<boolean> {
    return (await this.#destinations.deleteOne({ ...ownedBy(tenant), _id: id })).deletedCount === 1;
  }
}

async function restored(read: Promise<DestinationDoc | null>): Promise<DestinationDoc | null> {
  const found = await read;
  return found && restore(found);
}
