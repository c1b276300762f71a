import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '../../platform/mongo/indexes.ts';
import type { MonitorEffect, MonitorState } from '../../verdicts/monitor-state.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import type { StateRecord } from '../state/records.ts';
import { upsertAhead } from '../../platform/mongo/upsert-ahead.ts';

interface StateDoc {
  _id: string;
  shard: number;
  position: number;
  state: Omit<MonitorState, 'booked'> & {
    booked: [hour: number, up: number, degraded: number, down: number][];
  };
  outbox: MonitorEffect[];
}

/**
 * All fields of a state and its configuration. Laying a document over them gives all states one hidden class;
 * otherwise each monitor would have its own, some 2 kB. Fields that earlier versions did not write keep the
 * value given here.
 */
const BLANK_CONFIG: MonitorConfig = {
  monitor_id: '', organization_id: '', project_id: '', revision: 0, check_revision: 0, name: '', target: '',
  type: 'HTTP', status: 'active', interval_ms: 0, timeout_ms: 0, retries: 0, quorum: 'majority',
  slow_response_threshold_ms: null, tls_warning_days: [], domain_warning_days: [],
  notification_target_ids: [], monitoring_regions: [], heartbeat: null, changed_at: 0,
};
const BLANK_STATE: MonitorState = {
  config: BLANK_CONFIG, status: 'unknown', since: 0, regions: {}, outage: null, last_check_at: null,
  last_success_at: null, last_success_ms: null, last_failure_at: null, booked_until: 0, booked: {},
  unrolled_day: null, slow: null, flaps: null, warned: null, late: null,
};

/** Collection `monitor_states`: each monitor's state at a journal entry, and effects still to carry out. */
export class StateStore {
  readonly #states: Collection<StateDoc>;

  constructor(db: Db) {
    this.#states = db.collection<StateDoc>('monitor_states');
  }

  async ensureIndexes(): Promise<void> {
    // Loading all states of a shard.
    await ensureIndexes(this.#states, [{ key: { shard: 1 }, name: 'by_shard' }]);
  }

  async load(shard: number): Promise<StateRecord[]> {
    return (await this.#states.find({ shard }).batchSize(1000).toArray()).map(toRecord);
  }

  async find(monitorIds: string[]): Promise<StateRecord[]> {
    return (await this.#states.find({ _id: { $in: monitorIds } }).toArray()).map(toRecord);
  }

  /** Writes each where the stored position is lower; one that is ahead stays. */
  async write(records: StateRecord[]): Promise<void> {
    await upsertAhead(this.#states, records.map(({ monitor_id, state, ...rest }): StateDoc => ({
      _id: monitor_id,
      state: {
        ...state, booked: Object.entries(state.booked).map(([hour, times]) => [Number(hour), ...times]),
      }, ...rest,
    })));
  }

  /** Empties the outboxes of records that still stand at that position. */
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
  return {
    monitor_id: _id,
    state: { ...BLANK_STATE, ...state, config: { ...BLANK_CONFIG, ...state.config }, booked }, ...rest,
  };
}
