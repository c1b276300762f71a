import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { restoring } from '../platform/mongo/documents.ts';
import type { ReceivedPing } from '../results/intake/ping-rules.ts';

interface PingDoc extends Omit<ReceivedPing, 'id'> {
  _id: string;
  shard: number;
}

const restorePing = restoring<PingDoc>({ exit_code: null });

/** Collection `pings`: pings that are not in the journal yet. */
export class PingStore {
  readonly #pings: Collection<PingDoc>;

  constructor(db: Db) {
    this.#pings = db.collection<PingDoc>('pings', { readPreference: 'primary' });
  }

  async ensureIndexes(): Promise<void> {
    // Shard owners read the oldest pings first.
    await ensureIndexes(this.#pings, [{ key: { shard: 1, at: 1, _id: 1 }, name: 'by_shard' }]);
  }

  /** The ping is durable when this resolves. */
  async insert({ id, ...ping }: ReceivedPing & { shard: number }): Promise<void> {
    await this.#pings.insertOne({ _id: id, ...ping });
  }

  /** Oldest first. */
  async find(shards: number[], limit: number): Promise<(ReceivedPing & { shard: number })[]> {
    const oldest = this.#pings.find({ shard: { $in: shards } }).sort({ at: 1, _id: 1 }).limit(limit);
    return (await oldest.map(restorePing).toArray()).map(({ _id, ...ping }) => ({ id: _id, ...ping }));
  }

  async remove(ids: string[]): Promise<void> {
    await this.#pings.deleteMany({ _id: { $in: ids } });
  }
}
