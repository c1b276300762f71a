import { MongoClient } from 'mongodb';
import { systemClock, type Clock } from '../../../shared/time.ts';
import { createLog } from '../../../shared/log.ts';
import { encodeBatch } from '../../../shared/contracts/result-pack.ts';
import { openMongo } from '../../../controller/platform/mongo.ts';
import { openResultStores } from '../../../controller/result-stores.ts';
import { Ingest } from '../../../controller/results/ingest.ts';
import { byShard, configOf, monitorIds, resultMaker } from './results.ts';

interface IngestOptions {
  url: string;
  monitors: number;
  /** Results of each monitor, a minute apart. */
  each: number;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The product's way: journal, answers, then the hour's blocks and rollups, until the journal is not needed any more. */
export async function ingestResults(options: Record<string, unknown>): Promise<{ results: number; entries: number; ops: number }> {
  const { url, monitors, each } = options as unknown as IngestOptions;
  let aheadMs = 0;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  const log = createLog('bench', 'error');
  const mongo = openMongo(url);
  const stores = await openResultStores(mongo.db);
  const nothing = { open: async () => undefined, resolve: async () => undefined };
  const ingest = new Ingest({
    clock, log, instance: 'bench', limits: { rawRetentionMs: 1e15 }, holdsLease: () => true, listen: () => undefined, unlisten: () => undefined, surrender: () => undefined,
    stores: { ...stores, incidents: nothing, alerts: { fanOut: async () => undefined } },
    listeners: { onApplied: () => undefined, onConfigs: () => undefined },
  });
  ingest.start();
  const shards = byShard(monitorIds(monitors));
  await Promise.all([...shards.keys()].map((shard) => ingest.acquire(shard)));
  const start = clock.now() - (clock.now() % HOUR_MS);
  await Promise.all([...shards].map(async ([shard, ids]) => {
    ingest.note(shard, ids.map((id) => configOf(id, MINUTE_MS, start)));
    await waitFor(() => ingest.shards.get(shard)?.state.monitors.size === ids.length);
    await feed(ingest, shard, ids, each, start);
  }));
  const results = ingest.counts.results;
  aheadMs = 3 * HOUR_MS;
  await waitFor(() => {
    for (const actor of ingest.shards.values()) {
      actor.decideByClock();
      actor.tidy();
    }
    return [...ingest.shards.values()].every(({ state }) => [...state.monitors.values()].every((cell) => cell.hours.size === 0));
  });
  await ingest.stop();
  await mongo.close();
  return { results, entries: ingest.counts.entries, ops: 0 };
}

/** One lane per shard with two batches under way, as fast as they are answered. */
async function feed(ingest: Ingest, shard: number, ids: string[], each: number, start: number): Promise<void> {
  const make = resultMaker(shard + 1);
  const total = ids.length * each;
  const underWay = new Set<Promise<void>>();
  for (let first = 1; first <= total; first += 100) {
    const last = Math.min(total, first + 99);
    const results = Array.from({ length: last - first + 1 }, (_, index) => {
      const at = first + index - 1;
      const minute = Math.floor(at / ids.length);
      return make(first + index, ids[at % ids.length] as string, start + minute * MINUTE_MS);
    });
    const bytes = encodeBatch({ epoch: 'bench', engine: '1', first, last, results, dropped: [] });
    const answered = new Promise<void>((resolve) => {
      ingest.take(shard, { region: 'bench', probe_id: 'probe', bytes, answer: (watermark) => { if (watermark >= last) resolve(); } });
    }).then(() => void underWay.delete(answered));
    underWay.add(answered);
    if (underWay.size >= 8) await Promise.race(underWay);
  }
  await Promise.all(underWay);
}

/** One document per result, a thousand in a command: what is done where nobody thinks about it. */
export async function bareIngest(options: Record<string, unknown>): Promise<{ results: number }> {
  const { url, monitors, each } = options as unknown as IngestOptions;
  const client = await MongoClient.connect(url, { writeConcern: { w: 'majority', j: true } });
  const collection = client.db('farwatch').collection('bare_results');
  const ids = monitorIds(monitors);
  const make = resultMaker();
  const start = Date.now() - HOUR_MS;
  let seq = 0;
  const total = monitors * each;
  while (seq < total) {
    const docs = Array.from({ length: Math.min(1000, total - seq) }, () => {
      seq += 1;
      const { remote_address, tls, detail, missed, ...rest } = make(seq, ids[seq % ids.length] as string, start + seq);
      return { ...rest, region: 'bench', probe_id: 'probe' };
    });
    await collection.insertMany(docs, { ordered: false });
  }
  await client.close();
  return { results: total };
}

async function waitFor(isMet: () => boolean): Promise<void> {
  while (!isMet()) await new Promise((resolve) => setTimeout(resolve, 20));
}
