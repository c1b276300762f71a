import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import type { RegionDoc } from './probe.ts';

type RegionChange = Partial<Pick<RegionDoc, 'name' | 'city' | 'country' | 'lat' | 'lon'>>;

/** Collection `regions`: a few dozen documents, read as a whole. */
export class RegionStore {
  readonly #regions: Collection<RegionDoc>;

  constructor(db: Db) {
    this.#regions = db.collection<RegionDoc>('regions');
  }

  async ensureIndexes(): Promise<void> {
    // Reads go by id; the index creates the collection, so that a first read is like any other.
    await ensureIndexes(this.#regions, [{ key: { organization_id: 1, _id: 1 }, name: 'by_organization' }]);
  }

  /** False when the region exists already; it stays as it is. */
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
  change(id: string, change: RegionChange): Promise<RegionDoc | null> {
    if (Object.values(change).every((value) => value === undefined)) return this.find(id);
    return this.#regions.findOneAndUpdate({ _id: id }, { $set: change }, { returnDocument: 'after' });
  }

  /** Notes that monitors which want these regions may have no probe. */
  async markToPlace(ids: string[]): Promise<void> {
    if (ids.length > 0) await this.#regions.updateMany({ _id: { $in: ids } }, { $inc: { to_place: 1 } });
  }

  /** Withdraws the note unless it was made again since `seen`. */
  async clearToPlace(id: string, seen: number): Promise<void> {
    await this.#regions.updateOne({ _id: id, to_place: seen }, { $set: { to_place: 0 } });
  }

  async remove(id: string): Promise<void> {
    await this.#regions.deleteOne({ _id: id });
  }
}
