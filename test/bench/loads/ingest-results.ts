import { MongoClient } from 'mongodb';
import { systemClock, type Clock } from '../../../shared/time.ts';
import { createLog } from '../../../shared/log.ts';
import { encodeBatch } from '../../../shared/contracts/result-pack.ts';
import { openMongo } from '../../../controller/platform/mongo.ts';
import { openResultStores } from '../../../controller/result-stores.ts';
import { Ingest } from '../../../controller/results/ingest.ts';
import { cpuMs } from '../cpu.ts';
import { byShard, configOf, monitorIds, resultMaker } from './results.ts';

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
  entries: number;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The product's way: journal, answers, then the hour's results and rollups, until the journal is not needed any more. */
export async function ingestResults(options: Record<string, unknown>): Promise<IngestFigures> {
  const { url, databasePid, monitors, each, regions } = options as unknown as IngestOptions;
  let aheadMs = HOUR_MS - 1000 - (systemClock.now() % HOUR_MS);
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  const mongo = openMongo(url);
  const stores = await openResultStores(mongo.db);
  const nothing = { open: async () => undefined, resolve: async () => undefined };
  const ingest = new Ingest({
    clock, log: createLog('bench', 'error'), instance: 'bench', limits: { rawRetentionMs: 1e15 }, holdsLease: () => true, surrender: () => undefined, listen: () => undefined, unlisten: () => undefined,
    stores: { ...stores, incidents: nothing, alerts: { fanOut: async () => undefined } },
    listeners: { onApplied: () => undefined, onConfigs: () => undefined },
  });
  ingest.start();
  const shards = byShard(monitorIds(monitors));
  const start = clock.now() - (clock.now() % HOUR_MS);
  await Promise.all([...shards].map(async ([shard, ids]) => {
    await ingest.acquire(shard);
    ingest.note(shard, ids.map((id) => configOf(id, MINUTE_MS, start)));
    await waitFor(() => ingest.shards.get(shard)?.state.monitors.size === ids.length);
  }));
  const lanes = Array.from({ length: regions }, (_, region) => [...shards].map(([shard, ids]) => ({ shard, region, batches: batchesOf(shard, ids, each, start) }))).flat();
  const before = process.cpuUsage();
  const databaseBefore = cpuMs([databasePid]);
  await Promise.all(lanes.map((lane) => feed(ingest, lane)));
  aheadMs += 2 * HOUR_MS;
  await waitFor(() => {
    for (const actor of ingest.shards.values()) {
      actor.decideByClock();
      actor.tidy();
    }
    return [...ingest.shards.values()].every(({ state }) => [...state.monitors.values()].every((cell) => cell.hours.size === 0));
  });
  await ingest.stop();
  const used = process.cpuUsage(before);
  const figures = { results: ingest.counts.results, cpuMs: (used.user + used.system) / 1000 + cpuMs([databasePid]) - databaseBefore, entries: ingest.counts.entries };
  await mongo.close();
  return figures;
}

interface PackedLane {
  shard: number;
  region: number;
  batches: { bytes: Uint8Array; last: number }[];
}

function batchesOf(shard: number, ids: string[], each: number, start: number): PackedLane['batches'] {
  const make = resultMaker(shard + 1);
  const total = ids.length * each;
  return Array.from({ length: Math.ceil(total / 100) }, (_, batch) => {
    const first = batch * 100 + 1;
    const last = Math.min(total, first + 99);
    const results = Array.from({ length: last - first + 1 }, (__, index) => {
      const at = first + index - 1;
      return make(first + index, ids[at % ids.length] as string, start + Math.floor(at / ids.length) * MINUTE_MS);
    });
    return { bytes: encodeBatch({ epoch: 'bench', engine: '1', first, last, results, dropped: [] }), last };
  });
}

/** One lane with up to eight batches under way, as fast as they are answered. */
async function feed(ingest: Ingest, { shard, region, batches }: PackedLane): Promise<void> {
  const underWay = new Set<Promise<void>>();
  for (const { bytes, last } of batches) {
    const answered = new Promise<void>((resolve) => {
      ingest.take(shard, { region: `region-${region}`, probe_id: `probe-${region}`, bytes, answer: (watermark) => { if (watermark >= last) resolve(); } });
    }).then(() => void underWay.delete(answered));
    underWay.add(answered);
    if (underWay.size >= 8) await Promise.race(underWay);
  }
  await Promise.all(underWay);
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
    const { remote_address, tls, detail, missed, ...rest } = make(seq + 1, ids[seq % ids.length] as string, start + seq);
    return { ...rest, region: 'bench', probe_id: 'probe' };
  });
  const before = process.cpuUsage();
  const databaseBefore = cpuMs([databasePid]);
  for (let at = 0; at < total; at += 1000) await collection.insertMany(docs.slice(at, at + 1000), { ordered: false });
  const used = process.cpuUsage(before);
  const cpu = (used.user + used.system) / 1000 + cpuMs([databasePid]) - databaseBefore;
  await client.close();
  return { results: total, cpuMs: cpu, entries: 0 };
}

async function waitFor(isMet: () => boolean | undefined): Promise<void> {
  while (!isMet()) await new Promise((resolve) => setTimeout(resolve, 200));
}
