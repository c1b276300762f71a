import type { Tenant } from '../accounts/tenant.ts';
import type { Collection, Db, Filter } from 'mongodb';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import type { DestinationDoc } from './destination.ts';
import type { DestinationChange, DestinationRepository } from './ports.ts';

/** Destinations of one project in one answer; their number is limited when they are created. */
const MOST_IN_PROJECT = 1000;

/** Collection `destinations`. */
export class DestinationStore implements DestinationRepository {
  readonly #destinations: Collection<DestinationDoc>;

  constructor(db: Db) {
    this.#destinations = db.collection<DestinationDoc>('destinations');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.#destinations, [
      // A project's list.
      { key: { organization_id: 1, project_id: 1, created_at: -1, _id: -1 }, name: 'list' },
      // Where an alert goes whose monitor names no destinations.
      { key: { organization_id: 1, project_id: 1, is_default: 1 }, name: 'defaults' },
    ]);
  }

  async insert(doc: DestinationDoc): Promise<void> {
    await this.#destinations.insertOne(doc);
  }

  find(tenant: Tenant, id: string): Promise<DestinationDoc | null> {
    return this.#destinations.findOne({ ...of(tenant), _id: id });
  }

  /** Of any tenant: for deliveries, which know it by its own id. */
  findById(id: string): Promise<DestinationDoc | null> {
    return this.#destinations.findOne({ _id: id });
  }

  list(tenant: Tenant): Promise<DestinationDoc[]> {
    return this.#destinations.find(of(tenant)).sort({ created_at: -1, _id: -1 }).limit(MOST_IN_PROJECT).toArray();
  }

  /** Those of `ids` that are in the project. */
  named(tenant: Tenant, ids: string[]): Promise<DestinationDoc[]> {
    return this.#destinations.find({ ...of(tenant), _id: { $in: ids } }).limit(MOST_IN_PROJECT).toArray();
  }

  /** Those that monitors without destinations of their own tell. */
  defaults(tenant: Tenant): Promise<DestinationDoc[]> {
    return this.#destinations.find({ ...of(tenant), is_default: true }).limit(MOST_IN_PROJECT).toArray();
  }

  count(tenant: Tenant): Promise<number> {
    return this.#destinations.countDocuments(of(tenant));
  }

  /** Those of `ids` that are no destination of this project. */
  async unknownDestinations(tenant: Tenant, ids: string[]): Promise<string[]> {
    const found = await this.#destinations.find({ ...of(tenant), _id: { $in: ids } }).project<{ _id: string }>({ _id: 1 }).toArray();
    const known = new Set(found.map((one) => one._id));
    return ids.filter((id) => !known.has(id));
  }

  change(seen: DestinationDoc, change: DestinationChange): Promise<DestinationDoc | null> {
    const { _id, organization_id, project_id, revision } = seen;
    return this.#destinations.findOneAndUpdate(
      { _id, organization_id, project_id, revision },
      // A destination keeps its type, so its settings are of the type that was seen.
      { $set: change as Partial<DestinationDoc>, $inc: { revision: 1 } },
      { returnDocument: 'after' },
    );
  }

  async ensureSecret(id: string, candidate: string): Promise<string | null> {
    const read = async () => (await this.#destinations.findOne({ _id: id }, { projection: { secret: 1 } }))?.secret;
    const stored = await read();
    if (stored !== null) return stored ?? null;
    await this.#destinations.updateOne({ _id: id, secret: null }, { $set: { secret: candidate } });
    return (await read()) ?? null;
  }

  async replaceSecret(tenant: Tenant, id: string, secret: string): Promise<boolean> {
    const { matchedCount } = await this.#destinations.updateOne({ ...of(tenant), _id: id }, { $set: { secret } });
    return matchedCount === 1;
  }

  async remove(tenant: Tenant, id: string): Promise<boolean> {
    const { deletedCount } = await this.#destinations.deleteOne({ ...of(tenant), _id: id });
    return deletedCount === 1;
  }
}

function of(tenant: Tenant): Filter<DestinationDoc> & { organization_id: string; project_id: string } {
  return { organization_id: tenant.organizationId, project_id: tenant.projectId };
}
