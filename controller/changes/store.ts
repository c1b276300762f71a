import type { Db } from 'mongodb';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { Documents, DocumentsById, removeSurplus } from '../platform/mongo/documents.ts';
import { insertMissing, upsertNewer } from '../platform/mongo/mongo-errors.ts';
import type { ChangeDoc, SeenDoc } from './change.ts';

/** Changes kept per monitor. */
const MAX_CHANGES = 500;

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

  /** Adds changes of one monitor. Skips those that exist. */
  async add(changes: ChangeDoc[]): Promise<void> {
    const [first] = changes;
    if (first === undefined) return;
    await insertMissing(this.all, changes);
    await removeSurplus(this.all, { monitor_id: first.monitor_id }, MAX_CHANGES);
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

/** Collection `seen_targets`: the known values of each monitor's target. Written only when they change. */
export class SeenStore extends DocumentsById<SeenDoc> {
  constructor(db: Db) {
    super(db, 'seen_targets');
  }

  /** Stores a document unless a later one is stored. */
  async save(doc: SeenDoc): Promise<void> {
    await upsertNewer(this.all, [doc]);
  }

  async removeOf(monitorIds: string[]): Promise<void> {
    if (monitorIds.length > 0) await this.all.deleteMany({ _id: { $in: monitorIds } });
  }
}
