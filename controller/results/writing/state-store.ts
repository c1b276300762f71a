import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '../../platform/mongo/indexes.ts';
import type { StateRecord } from '../state/records.ts';
import { upsertNewer } from '../../platform/mongo/upserts.ts';
import { SharedValues } from '../state/shard-state.ts';
import { toStateDoc, toStateRecord, type StateDoc } from './stored-state.ts';

/** Collection `monitor_states`: each monitor's state at a journal entry, and its pending effects. */
export class StateStore {
  readonly #states: Collection<StateDoc>;

  constructor(db: Db) {
    this.#states = db.collection<StateDoc>('monitor_states');
  }

  async ensureIndexes(): Promise<void> {
    // Loads all states of a shard.
    await ensureIndexes(this.#states, [{ key: { shard: 1 }, name: 'by_shard' }]);
  }

  /** Deduplicates common values of the states. */
  async load(shard: number): Promise<StateRecord[]> {
    const shared = new SharedValues();
    const records: StateRecord[] = [];
    // One by one, because short-lived copies do not fragment the heap.
    for await (const doc of this.#states.find({ shard }).batchSize(1000)) {
      const record = toStateRecord(doc);
      shared.state(record.state, record.monitor_id);
      records.push(record);
    }
    return records;
  }

  async find(monitorIds: string[]): Promise<StateRecord[]> {
    return (await this.#states.find({ _id: { $in: monitorIds } }).toArray()).map(toStateRecord);
  }

  /** Writes each record whose stored position is lower. */
  async write(records: StateRecord[]): Promise<void> {
    await upsertNewer(this.#states, records.map(toStateDoc));
  }

  /** Empties the outboxes of records that are still at that position. */
  async clearOutboxes(done: { monitor_id: string; position: number }[]): Promise<void> {
    if (done.length === 0) return;
    await this.#states.bulkWrite(done.map(({ monitor_id, position }) => ({
      updateOne: { filter: { _id: monitor_id, position }, update: { $set: { outbox: [] } } },
    })), { ordered: false });
  }

  async remove(monitorIds: string[]): Promise<void> {
    await this.#states.deleteMany({ _id: { $in: monitorIds } });
  }
}
