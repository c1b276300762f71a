import type { Collection, Db } from 'mongodb';
import type { ShardMap } from '../../shared/ids.ts';
import type { DestinationFields } from '../destinations/destination.ts';
import type { DestinationHealth } from '../destinations/ports.ts';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { restoring } from '../platform/mongo/documents.ts';
import { upsertAll } from '../platform/mongo/mongo-errors.ts';

/** A document of `delivery_queues`: one for each destination that was ever used. Instants are Unix ms. */
export interface QueueDoc {
  /** The destination's id. */
  _id: string;
  organization_id: string;
  project_id: string;
  shard: number;
  /** When the next delivery is due; absent while nothing is pending. */
  due_at?: number;
  /** The destination was deleted. */
  is_gone?: boolean;
  /** Increases with every addition, so that a queue with new deliveries is not settled as empty. */
  wakes: number;
  failing_since: number | null;
  consecutive_failures: number;
  /**
   * Recipients whose latest message failed, if there are several. The destination fails while there are any.
   */
  failing_recipients?: string[];
  last_error: string | null;
  last_delivered_at: number | null;
}

type DestinationKey = Pick<DestinationFields, '_id' | 'organization_id' | 'project_id'>;

const restore = restoring<QueueDoc>({ failing_since: null, last_error: null, last_delivered_at: null });

const HEALTHY = Object.freeze({ failing_since: null, consecutive_failures: 0 });

/** Collection `delivery_queues`: when each destination is due, and its health. */
export class QueueStore {
  readonly #shardMap: ShardMap;
  readonly #queues: Collection<QueueDoc>;

  constructor(db: Db, shardMap: ShardMap) {
    this.#shardMap = shardMap;
    this.#queues = db.collection<QueueDoc>('delivery_queues');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.#queues, [
      // Finds due queues, about every second.
      { key: { due_at: 1 }, name: 'due', sparse: true },
      // Counts failing destinations for the metrics.
      { key: { failing_since: 1 }, name: 'failing' },
    ]);
  }

  /** Marks the queues of these destinations as due at `now`. */
  async wake(destinations: DestinationKey[], now: number): Promise<void> {
    if (destinations.length === 0) return;
    const operations = destinations.map(({ _id, organization_id, project_id }) => {
      const history = { ...HEALTHY, last_error: null, last_delivered_at: null };
      const unused = { organization_id, project_id, shard: this.#shardMap.of(_id), ...history };
      const update = { $min: { due_at: now }, $inc: { wakes: 1 }, $setOnInsert: unused };
      return { updateOne: { filter: { _id }, update, upsert: true } };
    });
    await upsertAll(this.#queues, operations);
  }

  /** Marks the queue of a deleted destination as gone and due. Does nothing if it has no queue. */
  async markDeleted(id: string, now: number): Promise<void> {
    const change = { $min: { due_at: now }, $inc: { wakes: 1 }, $set: { is_gone: true } };
    await this.#queues.updateOne({ _id: id }, change);
  }

  /** Destinations of these shards that are due by `until`, Unix ms, most overdue first. */
  async due(shards: number[], until: number, limit: number): Promise<{ id: string; due_at: number }[]> {
    const filter = { due_at: { $lte: until }, shard: { $in: shards } };
    const due = this.#queues.find(filter).sort({ due_at: 1 }).limit(limit);
    const found = await due.project<{ _id: string; due_at: number }>({ _id: 1, due_at: 1 }).toArray();
    return found.map(({ _id: id, due_at }) => ({ id, due_at }));
  }

  async find(id: string): Promise<QueueDoc | null> {
    const found = await this.#queues.findOne({ _id: id });
    return found && restore(found);
  }

  /**
   * Stores when the queue is due next (null: nothing pending) and, unless null, the last delivery. Does
   * nothing and returns false if deliveries were queued since `wakes` was read.
   */
  async settle(id: string, wakes: number, dueAt: number | null, deliveredAt: number | null) {
    const set = {
      ...(dueAt === null ? {} : { due_at: dueAt }),
      ...(deliveredAt === null ? {} : { last_delivered_at: deliveredAt }),
    };
    const change = {
      ...(dueAt === null ? { $unset: { due_at: '' } as const } : {}),
      ...(Object.keys(set).length > 0 ? { $set: set } : {}),
    };
    return (await this.#queues.updateOne({ _id: id, wakes }, change)).matchedCount === 1;
  }

  /** Removes the queue of a deleted destination. False if deliveries were queued since `wakes` was read. */
  async remove(id: string, wakes: number): Promise<boolean> {
    return (await this.#queues.deleteOne({ _id: id, wakes })).deletedCount === 1;
  }

  /** `recipient` is null unless there are several. True if this is the first failure since a success. */
  async recordFailure(id: string, failure: { reason: string; recipient: string | null }, now: number) {
    const { reason, recipient } = failure;
    const last_error = recipient === null ? reason : `${recipient}: ${reason}`;
    const failing = recipient === null ? {} : { $addToSet: { failing_recipients: recipient } };
    const change = { $set: { last_error }, $inc: { consecutive_failures: 1 }, ...failing };
    await this.#queues.updateOne({ _id: id }, change);
    const start = { $set: { failing_since: now } };
    return (await this.#queues.updateOne({ _id: id, failing_since: null }, start)).matchedCount === 1;
  }

  /** Marks the destination as healthy unless one of its recipients still fails. */
  async recordRecovery(id: string, now: number): Promise<void> {
    const isHealthy = { $or: [{ failing_recipients: { $exists: false } }, { failing_recipients: [] }] };
    const change = { $set: { ...HEALTHY, last_error: null, last_delivered_at: now } };
    await this.#queues.updateOne({ _id: id, ...isHealthy }, change);
  }

  /**
   * Records a delivery to one of several recipients. Marks the destination as healthy unless one of `others`,
   * its other current recipients, still fails.
   */
  async recordReached(id: string, reached: { recipient: string; others: string[] }, now: number) {
    const { recipient, others } = reached;
    const failed = { failing_recipients: recipient };
    await this.#queues.updateOne({ _id: id, ...failed }, { $pull: failed });
    const isHealthy = { failing_since: { $gt: 0 }, failing_recipients: { $nin: others } };
    const change = { $set: { ...HEALTHY, failing_recipients: [], last_error: null, last_delivered_at: now } };
    await this.#queues.updateOne({ _id: id, ...isHealthy }, change);
  }

  /** For destinations that were disabled or got new settings, so earlier failures no longer apply. */
  async clearFailures(id: string): Promise<void> {
    await this.#queues.updateOne({ _id: id }, { $set: { ...HEALTHY, failing_recipients: [] } });
  }

  /** Number of failing destinations in these shards. */
  countFailing(shards: number[]): Promise<number> {
    return this.#queues.countDocuments({ failing_since: { $gt: 0 }, shard: { $in: shards } });
  }

  async health(ids: string[]): Promise<Map<string, DestinationHealth>> {
    const found = await this.#queues.find({ _id: { $in: ids } }).map(restore).toArray();
    return new Map(found.map((doc) => [doc._id, toHealth(doc)]));
  }
}

function toHealth(doc: QueueDoc): DestinationHealth {
  const { failing_since, consecutive_failures, failing_recipients = [], last_error, last_delivered_at } = doc;
  const status = failing_since !== null ? 'failing' : last_delivered_at !== null ? 'healthy' : 'unknown';
  return { status, failing_since, consecutive_failures, failing_recipients, last_error, last_delivered_at };
}
