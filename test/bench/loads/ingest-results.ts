import { MongoClient } from 'mongodb';
import { systemClock, type Clock } from '../../../shared/time.ts';
import { createLog } from '../../../shared/log.ts';
import type { CheckResult } from '../../../shared/contracts/result.ts';
import { encodeBatch } from '../../../shared/contracts/result-pack.ts';
import { openMongo } from '../../../controller/platform/mongo/mongo.ts';
import { resultStores } from '../../../controller/wiring/results.ts';
import { openStores } from '../../../controller/wiring/stores.ts';
import { Shards } from '../../../controller/results/shards/shards.ts';
import { cpuMs } from '../cpu.ts';
import { bareDocument, byShard, configOf, monitorIds, resultMaker } from './results.ts';
import { shardStates } from '../../helpers/shard-states.ts';
import { limitsOf } from '../../helpers/take-limits.ts';
import { shardMap } from '../../helpers/shard-map.ts';

interface IngestOptions {
  url: string;
  databasePid: number;
  monitors: number;
  /** Hours of results per monitor and region, one a minute. The first hour is not measured. */
  hours: number;
  regions: number;
}

interface IngestFigures {
  results: number;
  /** CPU of this process and the database since the first batch, ms; excludes preparing the input. */
  cpuMs: number;
  /** The database's share of `cpuMs`. */
  databaseMs: number;
  entries: number;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/**
 * The product's path: journal, acknowledgements, then the hour's results and rollups, until the journal can be deleted.
 */
export async function ingestResults(options: Record<string, unknown>): Promise<IngestFigures> {
  const { url, databasePid, monitors, hours, regions } = options as unknown as IngestOptions;
  const start = systemClock.now() - (systemClock.now() % HOUR_MS);
  let nowMs = start;
  const clock = fastClock(() => nowMs);
  const mongo = openMongo(url);
  const stores = resultStores(await openStores(mongo.db, clock, shardMap));
  const none = async () => undefined;
  const nothing = { open: none, resolve: none, recordVotes: none, regionChanged: none };
  const intake = new Shards({
    clock, log: createLog('bench', 'error'), random: Math.random, instance: 'bench', limits: limitsOf(1e15),
    holdsLease: () => true, surrender: () => undefined, onStarted: () => undefined, onEnded: () => undefined,
    stores: { ...stores, incidents: nothing, alerts: { fanOut: none }, targetChanges: { record: none, forget: none } },
    listeners: { onApplied: [], onConfigs: () => undefined },
  });
  intake.start();
  const shards = byShard(monitorIds(monitors));
  await Promise.all([...shards].map(async ([shard, ids]) => {
    intake.acquire(shard);
    await waitFor(() => intake.summaries.has(shard));
    await intake.get(shard)?.ask(
      (respond) => ({ kind: 'configs', configs: ids.map((id) => configOf(id, MINUTE_MS, start)), respond }),
    );
    await waitFor(() => intake.summaries.get(shard)?.monitors === ids.length);
  }));
  const lanes = Array.from({ length: regions }, (_, region) => [...shards].map(
    ([shard, ids]) => ({ shard, region, batches: batchesOf(shard, ids, hours * 60, start) }),
  ))
    .flat();
  const feedHours = async (from: number, until: number): Promise<void> => {
    for (let minute = from * 60; minute < until * 60; minute += 1) {
      nowMs = start + minute * MINUTE_MS + 30_000;
      await Promise.all(lanes.map((lane) => feed(intake, lane, minute)));
    }
  };
  // Once every monitor has its status, each arriving hour writes one hour.
  await feedHours(0, 1);
  const initialResults = intake.counts.results;
  const before = process.cpuUsage();
  const databaseBefore = cpuMs([databasePid]);
  await feedHours(1, hours);
  const lastHour = start + (hours - 1) * HOUR_MS;
  const isWritten = async (): Promise<boolean> => [...(await shardStates(intake)).values()].every(({ monitors }) =>
    [...monitors.values()].every((monitor) => Math.min(...monitor.hours.map(({ hour }) => hour)) >= lastHour));
  await waitFor(isWritten);
  await intake.stop();
  const used = process.cpuUsage(before);
  const databaseMs = cpuMs([databasePid]) - databaseBefore;
  const figures = {
    results: intake.counts.results - initialResults, cpuMs: (used.user + used.system) / 1000 + databaseMs, databaseMs,
    entries: intake.counts.entries,
  };
  await mongo.close();
  return figures;
}

interface PackedLane {
  shard: number;
  region: number;
  /** Indexed by minute. */
  batches: { bytes: Uint8Array; last: number }[][];
}

function batchesOf(shard: number, ids: string[], each: number, start: number): PackedLane['batches'] {
  const varied = resultMaker(shard + 1);
  // An unconfirmed failure in the last minute would keep its monitor's hours from being written.
  const last = resultMaker(shard + 1, 0);
  let seq = 0;
  return Array.from({ length: each }, (_, minute) => {
    const batches: PackedLane['batches'][number] = [];
    const make = minute === each - 1 ? last : varied;
    for (let at = 0; at < ids.length; at += 100) {
      const first = seq + 1;
      const results = ids.slice(at, at + 100).map((id) => make(++seq, id, start + minute * MINUTE_MS));
      batches.push({
        bytes: encodeBatch({ epoch: 'bench', engine: '1', first, last: seq, results, dropped: [] }),
        last: seq,
      });
    }
    return batches;
  });
}

/** Sends a minute of one lane; resolves when it is in the journal. */
async function feed(intake: Shards, { shard, region, batches }: PackedLane, minute: number): Promise<void> {
  await Promise.all((batches[minute] ?? []).map(({ bytes, last }) => new Promise<void>((resolve) => {
    intake.take(shard, {
      region: `region-${region}`, probe_id: `probe-${region}`, bytes,
      acknowledge: (watermark) => {
        if (watermark >= last) resolve();
      },
    });
  })));
}

/** A simulated wall clock with timers and durations fifty times as fast, so that batching delays cost little. */
function fastClock(now: () => number): Clock {
  return {
    now, monotonic: () => systemClock.monotonic() * 50,
    setTimer: (delayMs, fire) => systemClock.setTimer(delayMs / 50, fire),
    setRepeating: (periodMs, fire) => systemClock.setRepeating(Math.max(200, periodMs / 50), fire),
  };
}

/**
 * The usual approach, one document per result in commands of a thousand, with the same guarantees: decoded batches, a
 * key that makes repeats harmless, and an index by monitor and time.
 */
export async function bareIngest(options: Record<string, unknown>): Promise<IngestFigures> {
  const { url, databasePid, monitors, hours, regions } = options as unknown as IngestOptions;
  const client = await MongoClient.connect(url, { writeConcern: { w: 'majority', j: true } });
  const collection = client.db('farwatch').collection<{ _id: string }>('bare_results');
  await collection.createIndex({ monitor_id: 1, started_at: -1 });
  const messages = jsonBatches(monitorIds(monitors), hours * 60, regions);
  const before = process.cpuUsage();
  const databaseBefore = cpuMs([databasePid]);
  let results = 0;
  for (let at = 0; at < messages.length; at += 10) {
    const docs = messages.slice(at, at + 10).flatMap(({ lane, json }) => {
      const batch = JSON.parse(json) as { results: (CheckResult & { seq: number })[] };
      return batch.results.map((result) => ({ _id: `${lane}/${result.seq}`, ...bareDocument(result) }));
    });
    await collection.insertMany(docs, { ordered: false });
    results += docs.length;
  }
  const used = process.cpuUsage(before);
  const databaseMs = cpuMs([databasePid]) - databaseBefore;
  await client.close();
  return { results, cpuMs: (used.user + used.system) / 1000 + databaseMs, databaseMs, entries: 0 };
}

function jsonBatches(ids: string[], each: number, regions: number): { lane: string; json: string }[] {
  const messages: { lane: string; json: string }[] = [];
  const start = Date.now() - HOUR_MS;
  const makers = Array.from({ length: regions }, (_, region) => resultMaker(region + 1));
  for (let minute = 0, seq = 0; minute < each; minute += 1) {
    for (let at = 0; at < ids.length; at += 100) {
      const first = seq;
      makers.forEach((make, region) => {
        const results =
          ids.slice(at, at + 100).map((id, place) => make(first + place + 1, id, start + minute * MINUTE_MS));
        messages.push({
          lane: `probe-${region}/bench`, json: JSON.stringify({ v: 1, epoch: 'bench', results }),
        });
      });
      seq += 100;
    }
  }
  return messages;
}

async function waitFor(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!await isTrue()) await new Promise((resolve) => setTimeout(resolve, 200));
}
