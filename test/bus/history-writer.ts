import type { Db } from 'mongodb';
import { isDueForWriting, savedThrough, writeClosedHours } from '../../controller/results/writing/closed-hours.ts';
import type { ClockDecision, JournalEntry } from '../../controller/results/journal/journal-store.ts';
import type { MonitorConfig } from '../../controller/verdicts/monitor-config.ts';
import type { Snapshot } from '../../controller/results/state/records.ts';
import { ShardState } from '../../controller/results/state/shard-state.ts';
import { resultStores, type ResultStores } from '../../controller/wiring/results.ts';
import { openStores } from '../../controller/wiring/stores.ts';
import { HOUR_GRACE_MS, HOUR_MS } from '../../controller/verdicts/time-accounting/time-accounting-rules.ts';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import { laneName, type CheckResult } from '../../shared/contracts/result.ts';
import { shardName } from '../../shared/ids.ts';
import { systemClock } from '../../shared/time.ts';
import type { Script, ScriptedResult } from './scripted-results.ts';
import { shardMap } from '../helpers/shard-map.ts';

/** Time that passes hour by hour after the last result, until the last day is written. */
const MAX_IDLE_HOURS = 30;

export interface ScriptedMonitor {
  config: MonitorConfig;
  script: Script;
}

type ScriptedChange = {
  at: number;
  result: ScriptedResult;
  config: MonitorConfig;
} | { at: number; result: null; config: MonitorConfig };

/**
 * Writes the data that a continuously running controller would have left, with the journal's own rules and the stores'
 * own code, on a separate clock. Hours that have not closed stay in the journal.
 */
export async function writeHistory(db: Db, monitors: ScriptedMonitor[], now: number): Promise<void> {
  const stores = resultStores(await openStores(db, systemClock, shardMap));
  for (const shard of new Set(monitors.map(({ config }) => shardMap.of(config.monitor_id)))) {
    const inShard = monitors.filter(({ config }) => shardMap.of(config.monitor_id) === shard);
    await forget(db, shard, inShard);
    await new ShardWriter(stores, shard, now).write(inShard);
  }
}

async function forget(db: Db, shard: number, monitors: ScriptedMonitor[]): Promise<void> {
  await db.collection<{ _id: string }>('journal').deleteMany({
    _id: { $gte: `${shardName(shard)}:`, $lt: `${shardName(shard)}:~` },
  });
  await db.collection<{ _id: string }>('snapshots').deleteOne({ _id: shardName(shard) });
  await db.collection<{ _id: string }>('monitor_states').deleteMany({
    _id: { $in: monitors.map(({ config }) => config.monitor_id) },
  });
}

class ShardWriter {
  readonly #stores: ResultStores;
  readonly #state: ShardState;
  readonly #now: number;
  readonly #entries: JournalEntry[] = [];
  readonly #lanes: Snapshot['lanes'][] = [[]];

  constructor(stores: ResultStores, shard: number, now: number) {
    this.#stores = stores;
    this.#state = new ShardState(shard, { n: 0, lanes: [], taken_at: 0 }, []);
    this.#now = now;
  }

  async write(monitors: ScriptedMonitor[]): Promise<void> {
    const changes = monitors.flatMap(changesOf).sort((a, b) => a.at - b.at);
    let hour = floor(changes[0]?.at ?? 0);
    let idleHours = 0;
    for (let next = 0; hour <= this.#now; hour += HOUR_MS) {
      idleHours += 1;
      for (; (changes[next]?.at ?? Infinity) < hour + HOUR_MS; next += 1) {
        this.#take(changes[next] as ScriptedChange);
        idleHours = 0;
      }
      if (idleHours > MAX_IDLE_HOURS && next < changes.length) {
        hour = floor((changes[next] as ScriptedChange).at) - HOUR_MS;
      } else if (hour + HOUR_MS + HOUR_GRACE_MS < this.#now) await this.#close(hour + HOUR_MS);
    }
    const n =
      Math.min(...[...this.#state.monitors.values()].map((monitor) => savedThrough(monitor, this.#state.n)));
    const rest = this.#entries.filter((entry) => entry.n > n);
    for (let at = 0; at < rest.length; at += 100) await this.#stores.journal.insert(rest.slice(at, at + 100));
    await this.#stores.snapshots.move(
      this.#state.shard, { n, lanes: this.#lanes[n] ?? [], taken_at: this.#entries[n - 1]?.taken_at ?? 0 },
    );
  }

  #take({ at, result, config }: ScriptedChange): void {
    if (result === null) return this.#journal({ taken_at: at, configs: [config] });
    const probeId = `probe-${result.region}`;
    const seq = this.#state.lanes.position(laneName(probeId, 'past')) + 1;
    const batch = {
      epoch: 'past', engine: 'test', first: seq, last: seq, results: [resultOf(result, config, seq)],
      dropped: [],
    };
    const taken = {
      probe_id: probeId, region: result.region, bytes: encodeBatch(batch), batch, refused: [],
      late: result.late ? [seq] : [],
    };
    this.#journal({ taken_at: at, batches: [taken], lanes: [{ lane: laneName(probeId, 'past'), position: seq }] });
  }

  async #close(until: number): Promise<void> {
    const takenAt = until + HOUR_GRACE_MS;
    const over: ClockDecision = { kind: 'hour', until };
    this.#journal({ taken_at: takenAt, clock: [over] });
    const due =
      [...this.#state.monitors].filter(([id, monitor]) => isDueForWriting(id, monitor, takenAt)).map(([id]) => id);
    if (due.length > 0) await writeClosedHours(this.#stores, this.#state, due, takenAt);
  }

  #journal(part: Partial<JournalEntry> & { taken_at: number }): void {
    const { shard, n } = this.#state;
    const entry: JournalEntry = {
      shard, n: n + 1, v: 1, writer: 'past', configs: [], batches: [], pings: [], clock: [], lanes: [],
      ...part,
    };
    // Its alerts were sent at the time.
    for (const { monitor_id: id } of this.#state.apply(entry).changed) {
      const monitor = this.#state.monitors.get(id);
      if (monitor) monitor.queued -= 1;
    }
    this.#entries.push(entry);
    this.#lanes.push([...this.#state.lanes]);
  }
}

function changesOf({ config, script: { results, pauses } }: ScriptedMonitor): ScriptedChange[] {
  const begin = Math.min(...results.map(({ at }) => at)) - 1000;
  let revision = config.revision - 2 * pauses.length;
  const configs: ScriptedChange[] = [{ at: begin, result: null, config: { ...config, revision, changed_at: begin } }];
  for (const [from, until] of pauses) {
    configs.push({
      at: from, result: null, config: { ...config, status: 'paused', revision: ++revision, changed_at: from },
    });
    configs.push({ at: until, result: null, config: { ...config, revision: ++revision, changed_at: until } });
  }
  return [...configs, ...results.map((each) => ({ at: each.arrivedAt, result: each, config }))];
}

function resultOf({ at, outcome, ms, attempt }: ScriptedResult, config: MonitorConfig, seq: number): CheckResult {
  return {
    seq, monitor_id: config.monitor_id, assignment_rev: config.check_revision, attempt, reason: attempt === 1
      ? 'schedule'
      : 'confirm', scheduled_at: at, started_at: at,
    response_time_ms: ms, outcome, degraded: false, status_code: outcome === 'missed'
      ? null
      : outcome === 'success' ? 200 : 503,
    error: outcome === 'failure' ? { type: 'status_code', message: 'Status 503' } : null,
    missed: outcome === 'missed' ? { reason: 'overload', count: 1 } : null,
    timings: null, remote_address: null, tls: null, detail: null,
  };
}

function floor(at: number): number {
  return at - (at % HOUR_MS);
}
