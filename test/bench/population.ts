import { Binary, type Db } from 'mongodb';
import type { MonitorConfig } from '../../controller/verdicts/monitor-config.ts';
import type { MonitorState } from '../../controller/verdicts/monitor-state.ts';
import { NEW_REGION } from '../../controller/verdicts/votes/region-rules.ts';
import { newMonitorState } from '../../controller/verdicts/monitor-rules.ts';
import { toMonitorConfig } from '../../controller/monitors/settings/registry.ts';
import { recount, shareOf } from '../../controller/monitors/counts/count-rules.ts';
import { CountStore } from '../../controller/monitors/counts/count-store.ts';
import type { MonitorDoc } from '../../controller/monitors/monitor.ts';
import { encodeBlock } from '../../controller/results/hours/block-codec.ts';
import { ResultColumns } from '../../controller/results/hours/result-columns.ts';
import { encodeRollup } from '../../controller/results/hours/rollup-codec.ts';
import { rollupOf } from '../../controller/results/hours/rollup.ts';
import { StateStore } from '../../controller/results/writing/state-store.ts';
import { newId } from '../../shared/ids.ts';
import { monitorDoc } from '../helpers/fleet-rig.ts';
import { toStored } from '../helpers/to-stored.ts';
import { resultMaker } from './loads/results.ts';
import { shardMap } from '../helpers/shard-map.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A busy disk handles no more within the driver's time limit. */
const BATCH_SIZE = 250;
const HISTORY_BATCH_SIZE = 20;
/** The region of every installation. */
const REGIONS = ['local'];

export interface Owner {
  organizationId: string;
  projectId: string;
  userId: string;
}

/**
 * Monitors as left by the product: journaled, counted, accounted up to the last full hour, with yesterday's rollup.
 * Seven in ten are HTTP, two TCP, one a heartbeat; one in twenty is paused, one in ten in the group.
 */
export async function populate(db: Db, owner: Owner, group: string, count: number): Promise<void> {
  const now = Date.now();
  const states = new StateStore(db);
  const rollup = new Binary(encodeRollup(hourOfResults(now - DAY_MS).rollup));
  let counts = recount({ cells: {}, regions: {}, groups: {} }, []).counts;
  for (let first = 0; first < count; first += BATCH_SIZE) {
    const docs = Array.from(
      { length: Math.min(BATCH_SIZE, count - first) },
      (_, at) => monitorOf(owner, group, first + at, now - count + first + at),
    );
    counts = recount(counts, docs.map((doc) => ({ ...doc, counted: null }))).counts;
    await db.collection<MonitorDoc>('monitors').insertMany(
      docs.map((doc) => ({ ...doc, counted: shareOf(doc), counted_revision: 1 })), { ordered: false },
    );
    await states.write(docs.map((doc) => {
      const state = checkedState(doc, now);
      return { monitor_id: doc._id, shard: shardMap.of(doc._id), position: 0, state, outbox: [] };
    }));
    await db.collection<{ _id: string }>('rollups_1d').insertMany(
      docs.map((doc) => ({ _id: `${doc._id}:${Math.floor(now / DAY_MS) - 1}`, position: 0, rollup })),
      { ordered: false },
    );
  }
  await new CountStore(db).replace({
    _id: owner.projectId, organization_id: owner.organizationId, version: 1, applied: [], ...counts,
  });
}

/** Of a monitor that its probe checked a minute ago. */
function checkedState(doc: MonitorDoc, now: number): MonitorState {
  const checkedAt = now - 60_000;
  const regions = Object.fromEntries(REGIONS.map((region) => [region, {
    ...NEW_REGION, verdict: 'up' as const, last_at: checkedAt, response_time_ms: 80.5, status_code: 200,
  }]));
  return {
    ...newMonitorState(configOf(doc)), ...(doc.heartbeat === null && doc.status === 'active' ? { status: 'up', regions } : {}),
    last_check_at: checkedAt, last_success_at: checkedAt, accounted_until: now - (now % HOUR_MS),
  };
}

/** As in the journal: without assigned regions, a controller would first assign them for all. */
function configOf(doc: MonitorDoc): MonitorConfig {
  const assigned = doc.heartbeat === null ? { assigned: REGIONS, domains: null } : {};
  return { ...toMonitorConfig(doc), ...assigned };
}

/** Gives each monitor a month of daily rollups and two days of hourly ones with results. */
export async function giveHistory(db: Db, ids: string[]): Promise<void> {
  const now = Date.now();
  const { rollup, block } = hourOfResults(now);
  const of = { position: 0, rollup: new Binary(encodeRollup(rollup)) };
  const today = Math.floor(now / DAY_MS);
  for (let first = 0; first < ids.length; first += HISTORY_BATCH_SIZE) {
    const some = ids.slice(first, first + HISTORY_BATCH_SIZE);
    const days = some.flatMap(
      (id) => Array.from({ length: 29 }, (_, at) => ({ _id: `${id}:${today - 2 - at}`, ...of })),
    );
    const hours = some.flatMap((id) => Array.from(
      { length: 48 },
      (_, at) => ({ _id: `${id}:${Math.floor(now / HOUR_MS) - 1 - at}`, ...of, results: new Binary(block) }),
    ));
    await db.collection<{ _id: string }>('rollups_1d').insertMany(days, { ordered: false });
    await db.collection<{ _id: string }>('rollups_1h').insertMany(hours, { ordered: false });
  }
}

const TCP: MonitorDoc['tcp'] =
  { port: 9, protocol: 'generic', protocol_validation: null, tls: null, send: null, expect: null };

function heartbeatOf(token: string): NonNullable<MonitorDoc['heartbeat']> {
  return {
    token, slug: null, interval_seconds: 3600, schedule: null, timezone: null, grace_seconds: 3600,
    max_runtime_seconds: null,
  };
}

function monitorOf(owner: Owner, group: string, at: number, created_at: number): MonitorDoc {
  const type = at % 10 < 7 ? 'HTTP' : at % 10 < 9 ? 'TCP' : 'HEARTBEAT';
  return monitorDoc(at, {
    _id: newId(
      created_at,
    ), organization_id: owner.organizationId, project_id: owner.projectId, created_by: owner.userId, type,
    // Names sort differently from creation order.
    name: `monitor ${(at * 7919) % 1_000_003}`, search_text: `monitor ${at}`,
    status: at % 20 === 0 ? 'paused' : 'active', interval_seconds: 3600,
    ...(type === 'HTTP' ? {} : { http: null, target: '127.0.0.1:9' }),
    ...(type === 'TCP' ? { tcp: TCP } : {}),
    ...(type === 'HEARTBEAT'
      ? { heartbeat: heartbeatOf(newId(created_at)) }
      : {}),
    ...(at % 10 === 0 ? { group_id: group } : {}), created_at, updated_at: created_at,
  });
}

function hourOfResults(at: number): { rollup: ReturnType<typeof rollupOf>; block: Uint8Array } {
  const make = resultMaker();
  const start = at - (at % HOUR_MS);
  const rows = Array.from({ length: 60 }, (_, minute) => toStored(
    'eu-west', '0199aaaa-0000-7000-8000-000000000001', false, make(1, newId(at), start + minute * 60_000),
  ));
  return {
    rollup: rollupOf(ResultColumns.of(rows), [HOUR_MS, 0, 0], 60_000),
    block: encodeBlock(ResultColumns.of(rows)),
  };
}
