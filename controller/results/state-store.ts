import type { Collection, Db } from 'mongodb';
import type { MonitorEffect, MonitorState } from '../incidents/monitor-state.ts';
import type { StateRecord, StateStore } from './storage-ports.ts';
import { upsertAhead } from './upsert-ahead-store.ts';

interface StateDoc {
  _id: string;
  shard: number;
  position: number;
  state: Omit<MonitorState, 'booked'> & { booked: [hour: number, up: number, degraded: number, down: number][] };
  outbox: MonitorEffect[];
}

/** What states of earlier versions do not have. */
const ABSENT_BEFORE = { slow: null, flaps: null, warned: null, late: null };

/** Collection `monitor_states`: what the shard's owner knew of each monitor at a journal entry, and has still to do. */
export class MongoStateStore implements StateStore {
  readonly #states: Collection<StateDoc>;

  constructor(db: Db) {
    this.#states = db.collection<StateDoc>('monitor_states');
  }

  async ensureIndexes(): Promise<void> {
    // A shard is loaded whole.
    await this.#states.createIndex({ shard: 1 }, { name: 'by_shard' });
  }

  async load(shard: number): Promise<StateRecord[]> {
    return (await this.#states.find({ shard }).batchSize(1000).toArray()).map(toRecord);
  }

  async find(monitorIds: string[]): Promise<StateRecord[]> {
    return (await this.#states.find({ _id: { $in: monitorIds } }).toArray()).map(toRecord);
  }

  async write(records: StateRecord[]): Promise<void> {
    await upsertAhead(this.#states, records.map(({ monitor_id, state, ...rest }): StateDoc => ({
      ...rest, _id: monitor_id,
      state: { ...state, booked: Object.entries(state.booked).map(([hour, times]) => [Number(hour), ...times]) },
    })));
  }

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

function toRecord({ _id, state, ...rest }: StateDoc): StateRecord {
  const booked = Object.fromEntries(state.booked.map(([hour, ...times]) => [hour, times]));
  return { ...rest, monitor_id: _id, state: { ...ABSENT_BEFORE, ...state, booked } };
}
