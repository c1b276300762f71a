import type { Db } from 'mongodb';
import { openMongo } from '../../../controller/platform/mongo/mongo.ts';
import { Shards } from '../../../controller/results/shards/shards.ts';
import type { EntryBatch, JournalEntry } from '../../../controller/results/journal/journal-store.ts';
import type { StateRecord } from '../../../controller/results/state/records.ts';
import { newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import { NEW_REGION } from '../../../controller/verdicts/votes/region-rules.ts';
import { resultStores } from '../../../controller/wiring/results.ts';
import { openStores } from '../../../controller/wiring/stores.ts';
import { encodeBatch } from '../../../shared/contracts/result-pack.ts';
import { laneName } from '../../../shared/contracts/result.ts';
import { createLog } from '../../../shared/log.ts';
import { systemClock } from '../../../shared/time.ts';
import { shardMap } from '../../helpers/shard-map.ts';
import { limitsOf } from '../../helpers/take-limits.ts';
import { byShard, configOf, monitorIds, resultMaker } from './results.ts';

interface TakeOverOptions {
  url: string;
  monitors: number;
  /** Minutes of results in the journal, one for each monitor. */
  minutes: number;
}

/** What one of `parts` controllers takes. */
interface PartOptions extends TakeOverOptions {
  part: number;
  parts: number;
}

export interface TakeOverFigures {
  monitors: number;
  /** From the acquisition until half of the shards, and all, take results, so that their alerts flow, ms. */
  halfMs: number;
  allMs: number;
  /** CPU of this process until then. */
  alertsCpuMs: number;
  /** The same until statistics are whole. */
  wholeMs: number;
  cpuMs: number;
  /** Resident memory at the end. */
  megabytes: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const BATCH_SIZE = 100;
/** Where in the journal the last checkpoint is: a journal is an hour or two long, and checkpoints are minutes apart. */
const CHECKPOINT_AT = 0.9;
/** In an entry of a second, with 20,000 monitors in a shard and a check a minute. */
const ENTRY_RESULTS = 340;
const ENTRIES_PER_INSERT = 16;
const [REGION, PROBE, EPOCH] = ['region-0', 'probe-0', 'bench'];

/** Leaves shards as a dead controller does: monitors that are up, and a journal of results that no block has. */
export async function leaveShards(options: Record<string, unknown>): Promise<{ results: number }> {
  const { url, monitors, minutes } = options as unknown as TakeOverOptions;
  const mongo = openMongo(url);
  const { states, journal } = resultStores(await openStores(mongo.db, systemClock, shardMap));
  const insert = async (entries: JournalEntry[]) => {
    for (let at = 0; at < entries.length; at += ENTRIES_PER_INSERT) {
      await journal.insert(entries.slice(at, at + ENTRIES_PER_INSERT));
    }
  };
  const late: JournalEntry[] = [];
  const now = systemClock.now();
  const start = now - (now % HOUR_MS) - minutes * MINUTE_MS;
  for (const [shard, ids] of byShard(monitorIds(monitors))) {
    for (let at = 0; at < ids.length; at += 250) {
      await states.write(ids.slice(at, at + 250).map((id) => recordOf(shard, id, start)));
    }
    const entries = entriesOf(shard, ids, start, minutes);
    const early = Math.floor(entries.length * CHECKPOINT_AT);
    await insert(entries.slice(0, early));
    late.push(...entries.slice(early));
  }
  if (late.length > 0) await writeCheckpoints(mongo.db, start + minutes * MINUTE_MS);
  await insert(late);
  await mongo.close();
  return { results: monitors * minutes };
}

/**
 * As the dead controller did: each shard writes one, of all that its journal holds so far. It is `at` (Unix ms)
 * all the time, so that no region goes silent meanwhile.
 */
async function writeCheckpoints(db: Db, at: number): Promise<void> {
  const shards = await openShards(db, 1, { ...systemClock, now: () => at });
  for (const shard of shardMap.all) shards.acquire(shard);
  shards.start();
  // This process may be too busy for the database's response.
  const written = () => db.collection('checkpoints').countDocuments({ position: { $gt: 0 } }).catch(() => 0);
  while (await written() < shardMap.count) await new Promise((resolve) => setTimeout(resolve, 200));
  await shards.stop();
}

async function openShards(db: Db, checkpointResults: number, clock = systemClock): Promise<Shards> {
  const stores = resultStores(await openStores(db, systemClock, shardMap));
  const none = async () => undefined;
  return new Shards({
    clock, log: createLog('bench', 'warn'), random: Math.random, instance: 'bench', limits: limitsOf(1e15),
    holdsLease: () => true, surrender: () => undefined, onStarted: () => undefined, onEnded: () => undefined,
    checkpointResults,
    stores: {
      ...stores, incidents: { open: none, resolve: none, recordVotes: none, regionChanged: none },
      alerts: { fanOut: none }, targetChanges: { record: none, forget: none },
    },
    listeners: { onApplied: [], onConfigs: () => undefined },
  });
}

function recordOf(shard: number, id: string, start: number): StateRecord {
  const region = {
    ...NEW_REGION, verdict: 'up' as const, last_at: start - MINUTE_MS, response_time_ms: 20, status_code: 200,
  };
  const config = { ...configOf(id, MINUTE_MS, start - HOUR_MS), assigned: [REGION], monitoring_regions: [REGION] };
  const state = {
    ...newMonitorState(config), status: 'up' as const, since: start - HOUR_MS, regions: { [REGION]: region },
    last_check_at: start - MINUTE_MS, last_success_at: start - MINUTE_MS, accounted_until: start - MINUTE_MS,
  };
  return { monitor_id: id, shard, position: 0, state, outbox: [] };
}

function entriesOf(shard: number, ids: string[], start: number, minutes: number): JournalEntry[] {
  const make = resultMaker(shard + 1);
  const entries: JournalEntry[] = [];
  let seq = 0;
  for (let minute = 0; minute < minutes; minute += 1) {
    for (let at = 0; at < ids.length; at += ENTRY_RESULTS) {
      const batches: EntryBatch[] = [];
      for (let from = at; from < Math.min(at + ENTRY_RESULTS, ids.length); from += BATCH_SIZE) {
        const first = seq + 1;
        const results = ids.slice(from, Math.min(from + BATCH_SIZE, at + ENTRY_RESULTS)).map(
          (id, place) => make(++seq, id, start + minute * MINUTE_MS + Math.floor(((from + place) / ids.length) * MINUTE_MS)),
        );
        const batch = { v: 1 as const, epoch: EPOCH, engine: '1', first, last: seq, results, dropped: [] };
        batches.push({ probe_id: PROBE, region: REGION, bytes: encodeBatch(batch), batch, refused: [], late: [] });
      }
      entries.push({
        shard, n: entries.length + 1, v: 1, writer: 'dead', taken_at: start + (minute + 1) * MINUTE_MS,
        configs: [], batches, pings: [], clock: [], lanes: [{ lane: laneName(PROBE, EPOCH), position: seq }],
      });
    }
  }
  return entries;
}

/** Loads every `parts`-th shard at once, as one of the controllers does that take over from a dead one. */
export async function takeOver(options: Record<string, unknown>): Promise<TakeOverFigures> {
  const { url, part, parts } = options as unknown as PartOptions;
  const mongo = openMongo(url);
  const shards = await openShards(mongo.db, Infinity);
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const taken = shardMap.all.filter((shard) => shard % parts === part);
  for (const shard of taken) shards.acquire(shard);
  const until = async (count: number, isWhole = false) => {
    await waitFor(() => [...shards.summaries.values()].filter((each) => each.isWhole || !isWhole).length >= count);
    return performance.now() - startedAt;
  };
  const cpuMs = () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const halfMs = await until(taken.length / 2);
  const allMs = await until(taken.length);
  const alertsCpuMs = cpuMs();
  const wholeMs = await until(taken.length, true);
  const monitors = [...shards.summaries.values()].reduce((sum, summary) => sum + summary.monitors, 0);
  return { monitors, halfMs, allMs, alertsCpuMs, wholeMs, cpuMs: cpuMs(), megabytes: process.memoryUsage.rss() / 1e6 };
}

/** Reads the same documents and discards them: the states, then the journal. */
export async function bareTakeOver(options: Record<string, unknown>): Promise<{ statesMs: number; ms: number }> {
  const { url } = options as unknown as TakeOverOptions;
  const { db, close } = openMongo(url);
  const startedAt = performance.now();
  for await (const _state of db.collection('monitor_states').find()) continue;
  const statesMs = performance.now() - startedAt;
  for await (const _entry of db.collection('journal').find()) continue;
  const ms = performance.now() - startedAt;
  await close();
  return { statesMs, ms };
}

async function waitFor(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20));
}
