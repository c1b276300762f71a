import { BSON } from 'mongodb';
import { phaseMs } from '../../../controller/monitors/slot-rules.ts';
import { ShardState, SharedValues } from '../../../controller/results/state/shard-state.ts';
import type { StateRecord } from '../../../controller/results/state/records.ts';
import { type StateDoc, toStateDoc, toStateRecord } from '../../../controller/results/writing/state-store.ts';
import { NEW_REGION } from '../../../controller/verdicts/votes/region-rules.ts';
import { newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import { AssignmentSet } from '../../../probe/assignments/assignment-set.ts';
import { limitsFor } from '../../../probe/runner/limits.ts';
import { Runner } from '../../../probe/runner/runner.ts';
import { Scheduler } from '../../../probe/scheduler/scheduler.ts';
import { assignment as assignmentSchema, type Assignment } from '../../../shared/contracts/assignment.ts';
import { derivedId } from '../../../shared/ids.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { configOf } from './results.ts';
import { shardMap } from '../../helpers/shard-map.ts';

const INTERVAL_MS = 60_000;
/** As many as a response with assignments has. */
const BATCH_SIZE = 500;

export interface MemoryFigures {
  rssBytes: number;
}

type Options = Record<string, unknown>;

/** Memory a probe uses for monitors received as messages and checked once. */
export async function probeMemory(options: Options): Promise<MemoryFigures> {
  const clock = new SimulatedClock();
  const set = new AssignmentSet();
  const runner = new Runner({
    clock, random: () => 0.5, limits: limitsFor(100_000), record: () => undefined, isCutOff: async () => false,
    check: async () => ({
      outcome: 'success', degraded: false, response_time_ms: 5, status_code: 200, error: null, missed: null,
      timings: null, remote_address: null, tls: null, detail: null, observed: null,
    }),
  });
  const scheduler = new Scheduler(clock, {
    due: (assignment, dueMs) => runner.slot(assignment, dueMs), missed: () => undefined,
  });
  scheduler.start();
  const monitors = Number(options['monitors']);
  for (let at = 0; at < monitors; at += BATCH_SIZE) {
    const some = Array.from({ length: Math.min(BATCH_SIZE, monitors - at) }, (_, nth) => assignmentAt(at + nth));
    const received = assignmentSchema.array().parse(JSON.parse(JSON.stringify(some)));
    const changes = received.map((each) => ({ set: each }));
    const applied = set.apply({ revision: at + 1, reset: false, changes }, clock.now());
    for (const { assignment } of applied.changed) scheduler.set(assignment);
  }
  await clock.advance(INTERVAL_MS + 1000);
  return measured([set, scheduler, runner]);
}

/** Memory a controller uses for monitors read from the database and the current hour's results. */
export async function controllerMemory(options: Options): Promise<MemoryFigures> {
  // As `StateStore` reads a shard.
  const shared = Array.from({ length: shardMap.count }, () => new SharedValues());
  const read: StateRecord[][] = Array.from({ length: shardMap.count }, () => []);
  for (let nth = 0; nth < Number(options['monitors']); nth += 1) {
    const bytes = BSON.serialize(toStateDoc(recordAt(nth)));
    const record = toStateRecord(BSON.deserialize(bytes) as StateDoc);
    (shared[record.shard] as SharedValues).state(record.state, record.monitor_id);
    (read[record.shard] as StateRecord[]).push(record);
  }
  const loaded = read.map((records, shard) => new ShardState(shard, { n: 0, lanes: [], taken_at: 0 }, records.splice(0)));
  return measured([loaded]);
}

/** A plain object and a timer per monitor, in a map. */
export async function bareMemory(options: Options): Promise<MemoryFigures> {
  const monitors = new Map<string, object>();
  for (let nth = 0; nth < Number(options['monitors']); nth += 1) {
    const { monitor_id: id, spec } = assignmentAt(nth);
    const monitor = {
      id, url: (spec as { url?: string }).url, intervalMs: INTERVAL_MS, timeoutMs: 10_000, isUp: true,
      lastCheckAt: Date.now() + nth / 8, responseMs: 5.5, failures: 0, timer: undefined as NodeJS.Timeout | undefined,
    };
    monitor.timer = setTimeout(() => monitors.delete(monitor.id), 3_600_000);
    monitors.set(id, monitor);
  }
  return measured([monitors]);
}

function assignmentAt(nth: number): Assignment {
  const id = derivedId('memory', nth);
  return {
    monitor_id: id, organization_id: derivedId('organization', nth % 20), project_id: derivedId('project', nth % 100),
    assignment_rev: 1, interval_ms: INTERVAL_MS, timeout_ms: 10_000, phase_ms: phaseMs(id, INTERVAL_MS, 0, 1),
    retries: 1, allow_private: false,
    spec: {
      type: 'HTTP', url: `https://www.example.org/some/path/${nth}`, method: 'GET', headers: {}, body: null,
      follow_redirects: true, max_redirects: 5, verify_ssl: true, expected_status: [200], slow_response_threshold_ms: null,
    },
  };
}

function recordAt(nth: number): StateRecord {
  const { monitor_id, organization_id, project_id } = assignmentAt(nth);
  const at = 1_790_000_000_000 + nth;
  const config = {
    ...configOf(monitor_id, INTERVAL_MS, at), organization_id, project_id, name: `Monitor ${nth}`,
    target: `https://www.example.org/some/path/${nth}`, monitoring_regions: ['local'],
  };
  const region = {
    ...NEW_REGION, verdict: 'up' as const, last_at: at, response_time_ms: 5.5, status_code: 200,
    probe_id: derivedId('probe'), engine: '0.1.0',
  };
  const state = {
    ...newMonitorState(config), status: 'up' as const, regions: { local: region }, last_check_at: at,
    last_success_at: at, last_success_ms: 5.5, accounted_until: at,
  };
  return { monitor_id, shard: shardMap.of(monitor_id), position: 0, state, outbox: [] };
}

/** Memory of this process while `held` is still referenced. */
async function measured(held: unknown[]): Promise<MemoryFigures> {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { rss } = process.memoryUsage();
  if (held.length === 0) throw new Error('nothing is held');
  return { rssBytes: rss };
}
