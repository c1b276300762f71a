import type { Collection, Db, Filter } from 'mongodb';
import { ensureIndexes } from '../../platform/mongo/indexes.ts';
import { upsertNewer } from '../../platform/mongo/mongo-errors.ts';
import type { FeatureRecord } from '../../verdicts/monitor-state.ts';

/** A document of `monitor_features`; `_id` is the monitor. */
interface FeatureDoc extends Omit<FeatureRecord, 'monitor_id'> {
  _id: string;
}

/** Collection `monitor_features`: what active monitors may have in common. Written only when that changes. */
export class FeatureStore {
  readonly #monitors: Collection<FeatureDoc>;

  constructor(db: Db) {
    this.#monitors = db.collection<FeatureDoc>('monitor_features');
  }

  async ensureIndexes(): Promise<void> {
    // Counts the monitors of an organization that have a feature.
    await ensureIndexes(this.#monitors, [{ key: { organization_id: 1, features: 1 }, name: 'by_feature' }]);
  }

  /** Stores a record unless a later one is stored. */
  async save({ monitor_id: _id, ...record }: FeatureRecord): Promise<void> {
    if (record.features.length > 0) await upsertNewer(this.#monitors, [{ _id, ...record }]);
    else await this.#monitors.deleteOne({ _id, position: { $lt: record.position } });
  }

  async remove(monitorIds: string[]): Promise<void> {
    await this.#monitors.deleteMany({ _id: { $in: monitorIds } });
  }

  /** The features of these monitors. Omits those without any. */
  async of(monitorIds: string[]): Promise<Map<string, readonly string[]>> {
    const found = await this.#monitors.find({ _id: { $in: monitorIds } }).toArray();
    return new Map(found.map(({ _id, features }) => [_id, features]));
  }

  /** How many monitors of the organization have each of these features; counts up to `limitOf` each. */
  async counts(
    organizationId: string, features: readonly string[],
    limitOf: (feature: string) => number = () => Infinity,
  ): Promise<Map<string, number>> {
    const counted = features.map(async (feature) => {
      const filter = { organization_id: organizationId, features: feature };
      return [feature, await this.#count(filter, limitOf(feature))] as const;
    });
    return new Map(await Promise.all(counted));
  }

  /** Up to `limit` monitors of the organization with this feature, and all of theirs. */
  async having(organizationId: string, feature: string, limit: number) {
    const having = this.#monitors.find({ organization_id: organizationId, features: feature });
    const found = await having.limit(limit).toArray();
    return found.map(({ _id: monitor_id, features }) => ({ monitor_id, features }));
  }

  /** How many monitors of the organization have any feature; counts up to `limit`. */
  total(organizationId: string, limit = Infinity): Promise<number> {
    return this.#count({ organization_id: organizationId }, limit);
  }

  #count(filter: Filter<FeatureDoc>, limit: number): Promise<number> {
    return this.#monitors.countDocuments(filter, limit === Infinity ? {} : { limit });
  }
}
