import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '../../platform/mongo/indexes.ts';
import { upsertNewer } from '../../platform/mongo/mongo-errors.ts';
import { each, restoring } from '../../platform/mongo/documents.ts';
import type { Alert } from '../../verdicts/effect.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import type {
  CertificateState, CertificateWarning, Flaps, HeartbeatState, HourTimes, LateHistory, LateOutage, LateRun,
  MonitorEffect, MonitorState, RegionChange, RegionOutage, RegionState, Run, SeenCertificate, StatusChange,
  TargetSighting, TimeRange, Witness,
} from '../../verdicts/monitor-state.ts';
import type { StateRecord } from '../state/records.ts';
import { SharedValues } from '../state/shard-state.ts';
import { BLANK_CONFIG, BLANK_REGION, BLANK_STATE } from './blank-state.ts';
import { restoreFacts } from './certificate-store.ts';

/** Collection `monitor_states`: each monitor's state at a journal entry, and its pending effects. */
export class StateStore {
  readonly #states: Collection<StateDoc>;

  constructor(db: Db) {
    this.#states = db.collection<StateDoc>('monitor_states');
  }

  async ensureIndexes(): Promise<void> {
    // Loads the states of a shard, or those after a checkpoint.
    await ensureIndexes(this.#states, [{ key: { shard: 1, position: 1 }, name: 'by_position' }]);
  }

  /**
   * The states after entry `after`, or all of the shard if it is null. Deduplicates common values of the
   * states.
   */
  async load(shard: number, after: number | null = null): Promise<StateRecord[]> {
    const shared = new SharedValues();
    const records: StateRecord[] = [];
    // One by one, because short-lived copies do not fragment the heap.
    const filter = after === null ? { shard } : { shard, position: { $gt: after } };
    for await (const doc of this.#states.find(filter).batchSize(1000)) {
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

/** Milliseconds of the hour that starts at `hour`. */
interface StoredTimes {
  hour: number;
  up: number;
  degraded: number;
  down: number;
}

interface StoredGap {
  from: number;
  until: number;
}

/** A state without directly nested arrays, which some databases refuse. */
type StoredState = Omit<MonitorState, 'accounted' | 'maintained' | 'late'> & {
  accounted: StoredTimes[];
  maintained?: StoredTimes[] | null;
  late?: (Omit<LateHistory, 'gaps'> & { gaps: StoredGap[] }) | null;
};

/** A document of `monitor_states`; `_id` is the monitor. */
export interface StateDoc {
  _id: string;
  shard: number;
  position: number;
  state: StoredState;
  outbox: MonitorEffect[];
}

type WithNulls = 'regions' | 'witnesses' | 'flaps' | 'certificate' | 'heartbeat';
type Held = NonNullable<Flaps['held']>;
type EndedAlert = NonNullable<Held['ended']>;
type AlertIncident = NonNullable<Alert['incident']>;
type LastSuccess = NonNullable<Alert['last_success']>;

const restoreIncident = restoring<AlertIncident>({ resolved_at: null });
const restoreConfig = restoring<MonitorConfig>({
  slow_response_threshold_ms: null, heartbeat: null, domain_expires_at: null, assigned: null, domains: null,
  runbook_url: null, alert_severity: null, group_id: null, name_server: null,
});

/** Nulls within the fields of a state; `BLANK_STATE` has the fields themselves. */
const restoreWithin = restoring<Pick<MonitorState, WithNulls>>(
  { witnesses: null, flaps: null, certificate: null },
  {
    witnesses: each(restoring<Witness>({ error: null })),
    regions: each(restoring<RegionState>({
      first_fail_at: null, last_at: null, response_time_ms: null, status_code: null, error: null,
      probe_id: null, reason: null,
    }, { ended: each(restoring<RegionOutage>({ error: null })) })),
    flaps: restoring<Flaps>({ held: null }, {
      held: restoring<Held>({ ended: null }, {
        ended: restoring<EndedAlert>({ incident: null, error: null }, { incident: restoreIncident }),
      }),
    }),
    certificate: restoring<CertificateState>({ due: null }, {
      seen: each(restoring<SeenCertificate>({ problem: null, expires_at: null })),
      warnings: each(restoring<CertificateWarning>({ days: null })),
    }),
    heartbeat: restoring<HeartbeatState>({ last_at: null }, {
      runs: each(restoring<Run>({ id: null, deadline: null })),
    }),
  },
);

const restoreLate = restoring<Pick<LateHistory, 'runs' | 'found'>>({}, {
  runs: each(restoring<LateRun>({ error: null })),
  found: each(restoring<LateOutage>({ error: null })),
});

const restoreRegionChange = restoring<RegionChange>({ reason: null, incident_id: null });
const restoreShown = restoring<NonNullable<TargetSighting['certificate']>>({ expires_at: null });
const restoreStatus = restoring<StatusChange>({ incident_id: null });
const restoreAlert = restoring<Alert>({ incident: null, error: null }, {
  monitor: restoreConfig, incident: restoreIncident,
  last_success: restoring<LastSuccess>({ response_time_ms: null }),
});

function restoreEffect(effect: MonitorEffect): MonitorEffect {
  if (effect.kind === 'status') restoreStatus(effect.change);
  else if (effect.kind === 'open') restoreConfig(effect.opening.monitor);
  else if (effect.kind === 'resolve') restoreConfig(effect.resolution.monitor);
  else if (effect.kind === 'alert') restoreAlert(effect.alert);
  else if (effect.kind === 'region') restoreRegionChange(effect.change);
  else if (effect.kind === 'certificate') restoreFacts(effect.sighting.facts);
  else if (effect.kind === 'sighting' && effect.sighting.certificate) restoreShown(effect.sighting.certificate);
  return effect;
}

export function toStateDoc({ monitor_id, state, ...rest }: StateRecord): StateDoc {
  const { late, maintained } = state;
  const gaps = late?.gaps.map(([from, until]) => ({ from, until })) ?? [];
  const stored: StoredState = {
    ...state, accounted: storedTimes(state.accounted), maintained: maintained && storedTimes(maintained),
    late: late && { ...late, gaps },
  };
  return { _id: monitor_id, state: stored, ...rest };
}

function storedTimes(accounted: MonitorState['accounted']): StoredTimes[] {
  return Object.entries(accounted).map(([hour, [up, degraded, down]]) =>
    ({ hour: Number(hour), up, degraded, down }));
}

export function toStateRecord({ _id, state, outbox, ...rest }: StateDoc): StateRecord {
  const { late = null, maintained = null } = state;
  restoreWithin(state);
  if (late) restoreLate(late);
  return {
    monitor_id: _id,
    state: {
      ...BLANK_STATE, ...state,
      config: { ...BLANK_CONFIG, ...state.config },
      regions: regionsWithDefaults(state),
      accounted: Object.fromEntries(state.accounted.map(timesOf)),
      maintained: maintained && Object.fromEntries(maintained.map(timesOf)),
      late: late && { ...late, gaps: late.gaps.map(gapOf) },
    },
    outbox: outbox.map(restoreEffect), ...rest,
  };
}

function regionsWithDefaults({ regions }: StoredState): MonitorState['regions'] {
  const filled: MonitorState['regions'] = {};
  for (const [name, region] of Object.entries(regions)) filled[name] = { ...BLANK_REGION, ...region };
  return filled;
}

function gapOf({ from, until }: StoredGap): TimeRange {
  return [from, until];
}

function timesOf({ hour, up, degraded, down }: StoredTimes): [hour: number, times: HourTimes] {
  return [hour, [up, degraded, down]];
}
