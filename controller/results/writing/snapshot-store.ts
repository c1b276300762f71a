import type { Collection, Db } from 'mongodb';
import { shardName } from '../../../shared/ids.ts';
import type { Snapshot } from '../state/records.ts';
import { upsertAhead } from '../../platform/mongo/upsert-ahead.ts';

interface SnapshotDoc {
  _id: string;
  position: number;
  lanes: [lane: string, position: number, moved_at?: number][];
  taken_at?: number;
}

/** Collection `snapshots`: one document per shard, read on the primary. */
export class SnapshotStore {
  readonly #snapshots: Collection<SnapshotDoc>;

  constructor(db: Db) {
    this.#snapshots = db.collection<SnapshotDoc>('snapshots', { readPreference: 'primary' });
  }

  /** Numbers of the shards' snapshots; 0 or absent where there is none. */
  async numbers(shards: number[]): Promise<Map<number, number>> {
    const found = await this.#snapshots.find(
      { _id: { $in: shards.map(shardName) } }, { projection: { position: 1 } },
    ).toArray();
    return new Map(found.map((doc) => [Number(doc._id), doc.position]));
  }

  async load(shard: number): Promise<Snapshot> {
    const found = await this.#snapshots.findOne({ _id: shardName(shard) });
    if (!found) return { n: 0, lanes: {} };
    const moved =
      found.lanes.flatMap(([lane, , at]): [string, number][] => (at === undefined ? [] : [[lane, at]]));
    const lanes = found.lanes.map(([lane, position]) => [lane, position] as const);
    return {
      n: found.position, lanes: Object.fromEntries(lanes), taken_at: found.taken_at,
      ...(moved.length > 0 ? { moved: Object.fromEntries(moved) } : {}),
    };
  }

  /** Moves forward only. */
  async move(shard: number, { n, lanes, moved = {}, taken_at }: Snapshot): Promise<void> {
    const rows = Object.entries(lanes).map(([lane, position]): SnapshotDoc['lanes'][number] => {
      const at = moved[lane];
      return at === undefined ? [lane, position] : [lane, position, at];
    });
    await upsertAhead(
      this.#snapshots,
      [{ _id: shardName(shard), position: n, lanes: rows, ...(taken_at === undefined ? {} : { taken_at }) }],
    );
  }
}
