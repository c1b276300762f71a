import type { Db } from 'mongodb';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { Documents } from '../platform/mongo/documents.ts';
import { insertMissing } from '../platform/mongo/mongo-errors.ts';
import type { ChangeDoc } from './change.ts';

/** Changes kept per monitor. */
const MAX_CHANGES = 500;
/** Documents removed at a time; more than one removal leaves behind. */
const BATCH_SIZE = 1000;

/** Unix ms; both ends are included. */
export interface Span {
  from: number;
  to: number;
  limit: number;
}

/** Collection `target_changes`: the newest changes of each monitor. */
export class ChangeStore extends Documents<ChangeDoc> {
  constructor(db: Db) {
    super(db, 'target_changes', [
      // A monitor's changes, newest first, and what retention removes.
      { key: { monitor_id: 1, at: -1, _id: -1 }, name: 'of_monitor' },
    ]);
  }

  /** Changes of one monitor. Skips those that exist. */
  async add(changes: ChangeDoc[]): Promise<void> {
    const [first] = changes;
    if (first === undefined) return;
    await insertMissing(this.all, changes);
    const newestFirst = this.all.find({ monitor_id: first.monitor_id }).sort({ at: -1, _id: -1 });
    const surplus = newestFirst.skip(MAX_CHANGES).limit(BATCH_SIZE).project<{ _id: string }>({ _id: 1 });
    const ids = (await surplus.toArray()).map(({ _id }) => _id);
    if (ids.length > 0) await this.all.deleteMany({ _id: { $in: ids } });
  }

  async addRegion(id: string, region: string): Promise<void> {
    await this.update({ _id: id }, { $addToSet: { regions: region } });
  }

  /** Newest first. */
  newest(tenant: Tenant, monitorId: string, { from, to, limit }: Span): Promise<ChangeDoc[]> {
    const filter = { monitor_id: monitorId, ...ownedBy(tenant), at: { $gte: from, $lte: to } };
    return this.select(filter).sort({ at: -1, _id: -1 }).limit(limit).toArray();
  }

  /** Removes these monitors' changes older than `before` (Unix ms). */
  async removeOlder(monitorIds: string[], before: number): Promise<void> {
    if (monitorIds.length === 0) return;
    await this.all.deleteMany({ monitor_id: { $in: monitorIds }, at: { $lt: before } });
  }

  async removeOf(monitorIds: string[]): Promise<void> {
    if (monitorIds.length > 0) await this.all.deleteMany({ monitor_id: { $in: monitorIds } });
  }
}
