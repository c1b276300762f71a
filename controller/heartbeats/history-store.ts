import type { Db } from 'mongodb';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { Documents, restoring } from '../platform/mongo/documents.ts';
import { MAX_RECORDS, type PingRecord } from './ping-record.ts';

/** Documents removed at a time; more than one removal leaves behind. */
const BATCH_SIZE = 1000;

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
    if (!record._id.endsWith('0')) return;
    const newestFirst = this.all.find({ monitor_id: record.monitor_id }).sort({ at: -1, _id: -1 });
    const surplus = newestFirst.skip(MAX_RECORDS).limit(BATCH_SIZE).project<{ _id: string }>({ _id: 1 });
    const ids = (await surplus.toArray()).map(({ _id }) => _id);
    if (ids.length > 0) await this.all.deleteMany({ _id: { $in: ids } });
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
