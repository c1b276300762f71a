import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import type { RegionDoc } from './probe.ts';

/** Collection `regions`: a few dozen documents, read whole. */
export class RegionStore {
  readonly #regions: Collection<RegionDoc>;

  constructor(db: Db) {
    this.#regions = db.collection<RegionDoc>('regions');
  }

  async ensureIndexes(): Promise<void> {
    // By id only; the collection is made here so that a first read does not differ from later ones.
    await ensureIndexes(this.#regions, [{ key: { organization_id: 1, _id: 1 }, name: 'by_organization' }]);
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
  change(id: string, change: Partial<Pick<RegionDoc, 'name' | 'city' | 'country' | 'lat' | 'lon'>>): Promise<RegionDoc | null> {
    const set = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    if (Object.keys(set).length === 0) return this.find(id);
    return this.#regions.findOneAndUpdate({ _id: id }, { $set: set }, { returnDocument: 'after' });
  }

  /** Notes that monitors which want the region may stand on no probe. */
  async markToPlace(ids: string[]): Promise<void> {
    if (ids.length > 0) await this.#regions.updateMany({ _id: { $in: ids } }, { $inc: { to_place: 1 } });
  }

  /** Takes the note away unless it was made again since `seen`. */
  async clearToPlace(id: string, seen: number): Promise<void> {
    await this.#regions.updateOne({ _id: id, to_place: seen }, { $set: { to_place: 0 } });
  }

  async remove(id: string): Promise<void> {
    await this.#regions.deleteOne({ _id: id });
  }
}
