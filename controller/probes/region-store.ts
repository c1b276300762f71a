import type { Collection, Db } from 'mongodb';
import type { RegionDoc } from './probe.ts';

/** Collection `regions`: a few dozen documents, read whole. */
export class RegionStore {
  readonly #regions: Collection<RegionDoc>;

  constructor(db: Db) {
    this.#regions = db.collection<RegionDoc>('regions');
  }

  async ensureIndexes(): Promise<void> {
    // By id only; the collection is made here so that a first read does not differ from later ones.
    await this.#regions.createIndex({ organization_id: 1, _id: 1 }, { name: 'by_organization' });
  }

  /** False when a region of that id is there already; it stays as it is. */
  async insertIfAbsent(region: RegionDoc): Promise<boolean> {
    const { _id, ...fields } = region;
    const result = await this.#regions.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true });
    return result.upsertedCount === 1;
  }

  find(id: string): Promise<RegionDoc | null> {
    return this.#regions.findOne({ _id: id });
  }

  /** All regions in order of id. */
  all(): Promise<RegionDoc[]> {
    return this.#regions.find({}).sort({ _id: 1 }).toArray();
  }

  /** The region after the change; null when it is gone. */
  change(id: string, change: Partial<Omit<RegionDoc, '_id' | 'created_at' | 'visibility' | 'organization_id'>>): Promise<RegionDoc | null> {
    return this.#regions.findOneAndUpdate({ _id: id }, { $set: change }, { returnDocument: 'after' });
  }

  async remove(id: string): Promise<void> {
    await this.#regions.deleteOne({ _id: id });
  }
}
