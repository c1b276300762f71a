import type { Tenant } from '../accounts/tenant.ts';
import type { Collection, Db, Filter } from 'mongodb';
import type { NotificationEntry, NotificationLog, NotificationQuery } from '../incidents/ports.ts';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import type { DeliveryDoc, QueuedDelivery } from './delivery.ts';
import { lineOf } from './recipient-rules.ts';
import type { AttemptOutcome } from './retry-rules.ts';
import { duplicatesOnly } from '../platform/mongo/mongo-errors.ts';

/** Collection `deliveries`: the queue of what is still to be told, and the notification log. */
export class DeliveryStore implements NotificationLog {
  readonly #deliveries: Collection<DeliveryDoc>;

  constructor(db: Db) {
    this.#deliveries = db.collection<DeliveryDoc>('deliveries');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.#deliveries, [
      // What is pending for a destination, in order.
      { key: { destination_id: 1, status: 1, queued_at: 1, _id: 1 }, name: 'queue' },
      // The notification log of an incident.
      { key: { incident_id: 1, created_at: -1, _id: -1 }, name: 'log' },
      // Removing what is old.
      { key: { created_at: 1 }, name: 'age' },
    ]);
  }

  /** Leaves those that are there as they are. */
  async insertAbsent(docs: DeliveryDoc[]): Promise<void> {
    if (docs.length === 0) return;
    try {
      await this.#deliveries.insertMany(docs, { ordered: false });
    } catch (error) {
      if (!duplicatesOnly(error)) throw error;
    }
  }

  /** The oldest pending deliveries of a destination, in order, at most `limit`. */
  async pending(destinationId: string, limit: number): Promise<QueuedDelivery[]> {
    const found = await this.#deliveries
      .find({ destination_id: destinationId, status: 'pending' })
      .sort({ queued_at: 1, _id: 1 })
      .limit(limit)
      .project<Pick<DeliveryDoc, '_id' | 'monitor_id' | 'channel' | 'recipient' | 'next_attempt_at' | 'claim'>>({ monitor_id: 1, channel: 1, recipient: 1, next_attempt_at: 1, claim: 1 })
      .toArray();
    return found.map((doc) => ({ id: doc._id, line: lineOf(doc), readyAt: Math.max(doc.next_attempt_at ?? 0, doc.claim?.until ?? 0) }));
  }

  /** Makes the delivery ours until `until`, and returns it as it was before; null when it is no longer pending or another's. */
  claim(id: string, claim: { token: string; until: number }, now: number): Promise<DeliveryDoc | null> {
    return this.#deliveries.findOneAndUpdate(
      { _id: id, status: 'pending', $or: [{ claim: null }, { 'claim.until': { $lte: now } }] },
      { $set: { claim } },
      { returnDocument: 'before' },
    );
  }

  /** Writes down what a try did; false when the claim was lost meanwhile, and then nothing changes. */
  async settle(id: string, token: string, outcome: AttemptOutcome): Promise<boolean> {
    const { matchedCount } = await this.#deliveries.updateOne({ _id: id, 'claim.token': token }, { $set: { ...outcome, claim: null } });
    return matchedCount === 1;
  }

  /** Gives a claim back without a try. */
  async release(id: string, token: string): Promise<void> {
    await this.#deliveries.updateOne({ _id: id, 'claim.token': token }, { $set: { claim: null } });
  }

  async ofIncident(tenant: Tenant, incidentId: string, query: NotificationQuery): Promise<{ entries: NotificationEntry[]; total: number }> {
    const filter: Filter<DeliveryDoc> = { incident_id: incidentId, organization_id: tenant.organizationId, project_id: tenant.projectId };
    if (query.status !== undefined) filter.status = query.status;
    if (query.channel !== undefined) filter.channel = query.channel;
    const skip = (query.page - 1) * query.pageSize;
    const [docs, total] = await Promise.all([
      this.#deliveries.find(filter).sort({ created_at: -1, _id: -1 }).skip(skip).limit(query.pageSize).toArray(),
      this.#deliveries.countDocuments(filter),
    ]);
    return { entries: docs.map(toEntry), total };
  }

  /** Removes at most `limit` deliveries made before `before`, Unix ms; returns how many. */
  async removeOlder(before: number, limit: number): Promise<number> {
    const aged = this.#deliveries.find({ created_at: { $lt: before } }).sort({ created_at: 1 }).limit(limit);
    const ids = (await aged.project<{ _id: string }>({ _id: 1 }).toArray()).map((doc) => doc._id);
    if (ids.length > 0) await this.#deliveries.deleteMany({ _id: { $in: ids } });
    return ids.length;
  }
}

function toEntry(doc: DeliveryDoc): NotificationEntry {
  const { _id, incident_id, channel, recipient, status, delivered_at, error_message, retry_count, max_retries, last_retry_at, created_at, updated_at } = doc;
  return {
    id: _id, incident_id: incident_id ?? '', channel, recipient, status, delivered_at, error_message, retry_count, max_retries, last_retry_at, created_at, updated_at,
  };
}
