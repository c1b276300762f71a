import { MongoClient } from 'mongodb';
import { openMongo } from '../../../controller/platform/mongo/mongo.ts';
import { HourStore } from '../../../controller/results/hours/hour-store.ts';
import { rollupOf } from '../../../controller/results/hours/rollup.ts';
import { ResultColumns } from '../../../controller/results/hours/result-columns.ts';
import type { HourRecord } from '../../../controller/results/hours/hour-record.ts';
import { toStored } from '../../helpers/to-stored.ts';
import { bareDocument, monitorIds, resultMaker } from './results.ts';

interface BlockOptions {
  url: string;
  monitors: number;
  hours: number;
}

const HOUR_MS = 3_600_000;
const PER_HOUR = 60;

/** Blocks and rollups of monitors with one check per minute. */
export async function storeBlocks(options: Record<string, unknown>): Promise<{ results: number }> {
  const { url, monitors, hours } = options as unknown as BlockOptions;
  const mongo = openMongo(url);
  const store = new HourStore(mongo.db);
  const make = resultMaker();
  const start = 1_790_000_000_000 - (1_790_000_000_000 % HOUR_MS);
  for (let hour = 0; hour < hours; hour += 1) {
    const records: HourRecord[] = monitorIds(monitors).map((id, index) => {
      const rows = ResultColumns.of(Array.from({ length: PER_HOUR }, (_, minute) => {
        const at = start + hour * HOUR_MS + minute * 60_000 + (index * 37) % 60_000;
        return toStored('eu-west', '0199aaaa-0000-7000-8000-000000000001', false, make(1, id, at));
      }));
      return {
        monitor_id: id, hour: start + hour * HOUR_MS, position: hour + 1, rows,
        rollup: rollupOf(rows, [HOUR_MS, 0, 0], 60_000),
      };
    });
    for (let at = 0; at < records.length; at += 500) await store.write(records.slice(at, at + 500));
  }
  await mongo.close();
  return { results: monitors * hours * PER_HOUR };
}

/** The same results as one document each, with no index but the primary key. */
export async function bareBlocks(options: Record<string, unknown>): Promise<{ results: number }> {
  const { url, monitors, hours } = options as unknown as BlockOptions;
  const client = await MongoClient.connect(url);
  const collection = client.db('farwatch').collection('bare_results');
  const make = resultMaker();
  const ids = monitorIds(monitors);
  const total = monitors * hours * PER_HOUR;
  for (let at = 0; at < total; at += 1000) {
    await collection.insertMany(Array.from({ length: Math.min(1000, total - at) }, (_, index) => {
      return bareDocument(
        make(1, ids[(at + index) % ids.length] as string, 1_790_000_000_000 + (at + index) * 7),
      );
    }));
  }
  await client.close();
  return { results: total };
}
