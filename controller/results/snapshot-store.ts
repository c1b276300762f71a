import type { Collection, Db } from 'mongodb';
import { shardName } from '../../shared/ids.ts';
import type { Snapshot, SnapshotStore } from './storage-ports.ts';
import { upsertAhead } from './upsert-ahead-store.ts';

interface SnapshotDoc {
  _id: string;
  position: number;
  lanes: [lane: string, position: number][];
  taken_at?: number;
}

/** Collection `snapshots`: one document per shard, read on the primary. */
export class MongoSnapshotStore implements SnapshotStore {
  readonly #snapshots: Collection<SnapshotDoc>;

  constructor(db: Db) {
    this.#snapshots = db.collection<SnapshotDoc>('snapshots', { readPreference: 'primary' });
  }

  async numbers(shards: number[]): Promise<Map<number, number>> {
    const found = await this.#snapshots.find({ _id: { $in: shards.map(shardName) } }, { projection: { position: 1 } }).toArray();
    return new Map(found.map((doc) => [Number(doc._id), doc.position]));
  }

  async load(shard: number): Promise<Snapshot> {
    const found = await this.#snapshots.findOne({ _id: shardName(shard) });
    return found ? { n: found.position, lanes: Object.fromEntries(found.lanes), taken_at: found.taken_at } : { n: 0, lanes: {} };
  }

  async move(shard: number, snapshot: Snapshot): Promise<void> {
    const { n, lanes, taken_at } = snapshot;
    const doc = { _id: shardName(shard), position: n, lanes: Object.entries(lanes), ...(taken_at === undefined ? {} : { taken_at }) };
    await upsertAhead(this.#snapshots, [doc]);
  }
}
