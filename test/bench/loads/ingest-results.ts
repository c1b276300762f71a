import { MongoClient } from 'mongodb';
import { systemClock, type Clock } from '../../../shared/time.ts';
import { createLog } from '../../../shared/log.ts';
import { encodeBatch } from '../../../shared/contracts/result-pack.ts';
import { openMongo } from '../../../controller/platform/mongo.ts';
import { openResultStores } from '../../../controller/result-stores.ts';
import { Ingest } from '../../../controller/results/ingest.ts';
import { cpuMs } from '../cpu.ts';
import { bareDocument, byShard, configOf, monitorIds, resultMaker } from './results.ts';
import { limitsOf } from '../../helpers/take-limits.ts';

interface IngestOptions {
  url: string;
  databasePid: number;
  monitors: number;
  /** Results of each monitor and region, a minute apart. */
  each: number;
  regions: number;
}

interface IngestFigures {
  results: number;
  /** CPU of this process and the database from the first batch on, ms; what is made to be sent is made before. */
  cpuMs: number;
  /** The database's share of it, ms. */
  databaseMs: number;
  entries: number;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The product's way: journal, answers, then the hour's results and rollups, until the journal is not needed any more. */
export async function ingestResults(options: Record<string, unknown>): Promise<IngestFigures> {
  const { url, databasePid, monitors, each, regions } = options as unknown as IngestOptions;
  const start = systemClock.now() - (systemClock.now() % HOUR_MS);
  let nowMs = start;
  const clock = fastClock(() => nowMs);
  const mongo = openMongo(url);
  const stores = await openResultStores(mongo.db);
  const nothing = { open: async () => undefined, resolve: async () => undefined };
  const ingest = new Ingest({
    clock, log: createLog('bench', 'error'), instance: 'bench', limits: limitsOf(1e15), holdsLease: () => true, surrender: () => undefined, listen: () => undefined, unlisten: () => undefined,
    stores: { ...stores, incidents: nothing, alerts: { fanOut: async () => undefined } },
    listeners: { onApplied: () => undefined, onConfigs: () => undefined },
  });
  ingest.start();
  const shards = byShard(monitorIds(monitors));
  await Promise.all([...shards].map(async ([shard, ids]) => {
    await ingest.acquire(shard);
    ingest.note(shard, ids.map((id) => configOf(id, MINUTE_MS, start)));
    await waitFor(() => ingest.shards.get(shard)?.state.monitors.size === ids.length);
  }));
  const lanes = Array.from({ length: regions }, (_, region) => [...shards].map(([shard, ids]) => ({ shard, region, batches: batchesOf(shard, ids, each, start) }))).flat();
  const before = process.cpuUsage();
  const databaseBefore = cpuMs([databasePid]);
  for (let minute = 0; minute < each; minute += 1) {
    nowMs = start + minute * MINUTE_MS + 30_000;
    await Promise.all(lanes.map((lane) => feed(ingest, lane, minute)));
  }
  // Late enough for monitors whose last check failed, too: doubt holds an hour open for three more.
  nowMs = start + 5 * HOUR_MS;
  await waitFor(() => {
    for (const actor of ingest.shards.values()) {
      actor.decideByClock();
      actor.tidy();
    }
    return [...ingest.shards.values()].every(({ state }) => [...state.monitors.values()].every((cell) => cell.hours.size === 0));
  });
  await ingest.stop();
  const used = process.cpuUsage(before);
  const databaseMs = cpuMs([databasePid]) - databaseBefore;
  const figures = { results: ingest.counts.results, cpuMs: (used.user + used.system) / 1000 + databaseMs, databaseMs, entries: ingest.counts.entries };
  await mongo.close();
  return figures;
}

interface PackedLane {
  shard: number;
  region: number;
  /** By minute. */
  batches: { bytes: Uint8Array; last: number }[][];
}

function batchesOf(shard: number, ids: string[], each: number, start: number): PackedLane['batches'] {
  const make = resultMaker(shard + 1);
  let seq = 0;
  return Array.from({ length: each }, (_, minute) => {
    const batches: PackedLane['batches'][number] = [];
    for (let at = 0; at < ids.length; at += 100) {
      const first = seq + 1;
      const results = ids.slice(at, at + 100).map((id) => make(++seq, id, start + minute * MINUTE_MS));
      batches.push({ bytes: encodeBatch({ epoch: 'bench', engine: '1', first, last: seq, results, dropped: [] }), last: seq });
    }
    return batches;
  });
}

/** A minute of one lane, answered when the journal has it. */
async function feed(ingest: Ingest, { shard, region, batches }: PackedLane, minute: number): Promise<void> {
  await Promise.all((batches[minute] ?? []).map(({ bytes, last }) => new Promise<void>((resolve) => {
    ingest.take(shard, {
      region: `region-${region}`, probe_id: `probe-${region}`, bytes,
      answer: (watermark) => {
        if (watermark >= last) resolve();
      },
    });
  })));
}

/** A wall clock of our own, and timers and durations fifty times as fast: what waits for company waits no longer than it has to. */
function fastClock(now: () => number): Clock {
  return {
    now, monotonic: () => systemClock.monotonic() * 50,
    setTimer: (delayMs, fire) => systemClock.setTimer(delayMs / 50, fire),
    setRepeating: (periodMs, fire) => systemClock.setRepeating(Math.max(200, periodMs / 50), fire),
  };
}

/** One document per result, a thousand in a command: what is done where nobody thinks about it. */
export async function bareIngest(options: Record<string, unknown>): Promise<IngestFigures> {
  const { url, databasePid, monitors, each } = options as unknown as IngestOptions;
  const client = await MongoClient.connect(url, { writeConcern: { w: 'majority', j: true } });
  const collection = client.db('farwatch').collection('bare_results');
  const ids = monitorIds(monitors);
  const make = resultMaker();
  const start = Date.now() - HOUR_MS;
  const total = monitors * each;
  const docs = Array.from({ length: total }, (_, seq) => {
    return bareDocument(make(seq + 1, ids[seq % ids.length] as string, start + seq));
  });
  const before = process.cpuUsage();
  const databaseBefore = cpuMs([databasePid]);
  for (let at = 0; at < total; at += 1000) await collection.insertMany(docs.slice(at, at + 1000), { ordered: false });
  const used = process.cpuUsage(before);
  const databaseMs = cpuMs([databasePid]) - databaseBefore;
  await client.close();
  return { results: total, cpuMs: (used.user + used.system) / 1000 + databaseMs, databaseMs, entries: 0 };
}

async function waitFor(isMet: () => boolean | undefined): Promise<void> {
  while (!isMet()) await new Promise((resolve) => setTimeout(resolve, 200));
}
