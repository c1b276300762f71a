import { MongoBulkWriteError, type Collection, type Db, type UpdateFilter } from 'mongodb';
import { shardOf } from '../../shared/ids.ts';
import type { DestinationHealth } from '../destinations/ports.ts';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import type { NotedFailure, ReachedRecipient } from './ports.ts';

/** A document of `delivery_queues`, one per destination that was ever used. Instants are Unix ms. */
export interface QueueDoc {
  /** The destination's id. */
  _id: string;
  organization_id: string;
  project_id: string;
  shard: number;
  /** When its owner has to look at it; absent while nothing is pending. */
  due_at?: number;
  /** The destination was deleted. */
  is_gone?: boolean;
  /** Counts what was queued, so that nobody declares a queue empty that is not. */
  wakes: number;
  failing_since: number | null;
  consecutive_failures: number;
  /** Of several recipients, those whose latest message did not arrive; it fails as long as there is one. */
  failing_recipients?: string[];
  last_error: string | null;
  last_delivered_at: number | null;
}

/** Destination and owner of deliveries that were queued. */
export interface QueueOwner {
  id: string;
  organizationId: string;
  projectId: string;
}

const DUPLICATE_KEY = 11000;
const WELL = Object.freeze({ failing_since: null, consecutive_failures: 0 });

/** Collection `delivery_queues`: which destinations have something due, and how each fares. */
export class QueueStore {
  readonly #queues: Collection<QueueDoc>;

  constructor(db: Db) {
    this.#queues = db.collection<QueueDoc>('delivery_queues');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.#queues, [
      // Each second, the owners of the shards look for what is due.
      { key: { due_at: 1 }, name: 'due', sparse: true },
      // How many fail, for the metrics.
      { key: { failing_since: 1 }, name: 'failing' },
    ]);
  }

  /** Says that these destinations have something to be done at `now`. */
  async wake(owners: QueueOwner[], now: number): Promise<void> {
    if (owners.length === 0) return;
    const operations = owners.map((owner) => ({
      updateOne: { filter: { _id: owner.id }, update: { $min: { due_at: now }, $inc: { wakes: 1 }, $setOnInsert: unused(owner) }, upsert: true },
    }));
    try {
      await this.#queues.bulkWrite(operations, { ordered: false });
    } catch (error) {
      // Two upserts of one document at once: the loser finds it there now.
      if (!(error instanceof MongoBulkWriteError && error.code === DUPLICATE_KEY)) throw error;
      await this.#queues.bulkWrite(operations, { ordered: false });
    }
  }

  /** Marks the queue of a destination that was deleted, and as due; one that was never used stays unmade. */
  async bury(id: string, now: number): Promise<void> {
    await this.#queues.updateOne({ _id: id }, { $min: { due_at: now }, $inc: { wakes: 1 }, $set: { is_gone: true } });
  }

  /** Destinations of these shards that are due, most overdue first. */
  async due(shards: number[], now: number, limit: number): Promise<string[]> {
    const found = await this.#queues
      .find({ due_at: { $lte: now }, shard: { $in: shards } })
      .sort({ due_at: 1 })
      .limit(limit)
      .project<{ _id: string }>({ _id: 1 })
      .toArray();
    return found.map((doc) => doc._id);
  }

  find(id: string): Promise<QueueDoc | null> {
    return this.#queues.findOne({ _id: id });
  }

  /**
   * Says when to look again, null for not at all, and when something was last delivered, if anything was. False, and
   * unchanged, when more was queued since `wakes` was read.
   */
  async settle(id: string, wakes: number, dueAt: number | null, deliveredAt: number | null): Promise<boolean> {
    const set = { ...(dueAt === null ? {} : { due_at: dueAt }), ...(deliveredAt === null ? {} : { last_delivered_at: deliveredAt }) };
    const change: UpdateFilter<QueueDoc> = dueAt === null ? { $unset: { due_at: '' } } : {};
    if (Object.keys(set).length > 0) change.$set = set;
    return (await this.#queues.updateOne({ _id: id, wakes }, change)).matchedCount === 1;
  }

  /** Forgets a destination that is gone; false, and unchanged, when more was queued since `wakes` was read. */
  async remove(id: string, wakes: number): Promise<boolean> {
    return (await this.#queues.deleteOne({ _id: id, wakes })).deletedCount === 1;
  }

  /** Counts a failure; returns whether it is the first since the last success. */
  async noteFailure(id: string, { reason, recipient }: NotedFailure, now: number): Promise<boolean> {
    const [error, failing] = recipient === null ? [reason, {}] : [`${recipient}: ${reason}`, { $addToSet: { failing_recipients: recipient } }];
    await this.#queues.updateOne({ _id: id }, { $set: { last_error: error }, $inc: { consecutive_failures: 1 }, ...failing });
    return (await this.#queues.updateOne({ _id: id, failing_since: null }, { $set: { failing_since: now } })).matchedCount === 1;
  }

  /** It answers again; as long as some recipient of it does not, it still fails. */
  async noteRecovery(id: string, now: number): Promise<void> {
    const isWell = { $or: [{ failing_recipients: { $exists: false } }, { failing_recipients: [] }] };
    await this.#queues.updateOne({ _id: id, ...isWell }, { $set: { ...WELL, last_error: null, last_delivered_at: now } });
  }

  /** A recipient was reached; it is well unless one of the others fails. Who was removed while a try was under way does not count. */
  async noteReached(id: string, { recipient, others }: ReachedRecipient, now: number): Promise<void> {
    await this.#queues.updateOne({ _id: id, failing_recipients: recipient }, { $pull: { failing_recipients: recipient } });
    const isWell = { failing_since: { $gt: 0 }, failing_recipients: { $nin: others } };
    await this.#queues.updateOne({ _id: id, ...isWell }, { $set: { ...WELL, failing_recipients: [], last_error: null, last_delivered_at: now } });
  }

  /** It has other settings now, or is off: that it failed says nothing any more. */
  async forgetFailing(id: string): Promise<void> {
    await this.#queues.updateOne({ _id: id }, { $set: { ...WELL, failing_recipients: [] } });
  }

  /** Destinations of these shards that fail. */
  countFailing(shards: number[]): Promise<number> {
    return this.#queues.countDocuments({ failing_since: { $gt: 0 }, shard: { $in: shards } });
  }

  async health(ids: string[]): Promise<Map<string, DestinationHealth>> {
    const found = await this.#queues.find({ _id: { $in: ids } }).toArray();
    return new Map(found.map((doc) => [doc._id, toHealth(doc)]));
  }
}

function unused(owner: QueueOwner): Omit<QueueDoc, '_id' | 'due_at' | 'wakes'> {
  return {
    organization_id: owner.organizationId,
    project_id: owner.projectId,
    shard: shardOf(owner.id),
    failing_since: null,
    consecutive_failures: 0,
    last_error: null,
    last_delivered_at: null,
  };
}

function toHealth(doc: QueueDoc): DestinationHealth {
  const { failing_since, consecutive_failures, failing_recipients = [], last_error, last_delivered_at } = doc;
  const status = failing_since !== null ? 'failing' : last_delivered_at !== null ? 'healthy' : 'unknown';
  return { status, failing_since, consecutive_failures, failing_recipients, last_error, last_delivered_at };
}
