import type { Db } from 'mongodb';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { Documents, removeSurplus, restoring } from '../platform/mongo/documents.ts';
import { MAX_RECORDS, type PingRecord } from './ping-record.ts';

/** Collection `ping_history`: the newest pings of each monitor. */
export class PingHistoryStore extends Documents<PingRecord> {
  constructor(db: Db) {
    super(db, 'ping_history', [
      // A monitor's pings, newest first, and what retention removes.
      { key: { monitor_id: 1, at: -1, _id: -1 }, name: 'of_monitor' },
    ], restoring<PingRecord>({ exit_code: null, run_id: null, body: null }));
  }

  /** Durable when this resolves. About every 16th ping, by its id, removes those beyond MAX_RECORDS. */
  async add(record: PingRecord): Promise<void> {
    await this.insert(record);
    if (record._id.endsWith('0')) await removeSurplus(this.all, { monitor_id: record.monitor_id }, MAX_RECORDS);
  }

  /** Newest first, at most MAX_RECORDS. */
  newest(tenant: Tenant, monitorId: string): Promise<PingRecord[]> {
    const found = this.select({ monitor_id: monitorId, ...ownedBy(tenant) });
    return found.sort({ at: -1, _id: -1 }).limit(MAX_RECORDS).toArray();
  }

  /** Removes these monitors' pings older than `before` (Unix ms). */
  async removeOlder(monitorIds: string[], before: number): Promise<void> {
    if (monitorIds.length === 0) return;
    await this.all.deleteMany({ monitor_id: { $in: monitorIds }, at: { $lt: before } });
  }

  async removeOf(monitorIds: string[]): Promise<void> {
    if (monitorIds.length > 0) await this.all.deleteMany({ monitor_id: { $in: monitorIds } });
  }
}
