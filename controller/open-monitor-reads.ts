import type { Log } from '../shared/log.ts';
import type { Clock } from '../shared/time.ts';
import { CountStore } from './monitors/count-store.ts';
import { MonitorCounts } from './monitors/counts.ts';
import { MonitorListStore } from './monitors/list-store.ts';
import type { Mongo } from './platform/mongo.ts';

/** What lists and statistics of monitors read, with its indexes. */
export async function openMonitorReads({ db, clock, log }: { db: Mongo['db']; clock: Clock; log: Log }) {
  const lists = new MonitorListStore(db);
  const store = new CountStore(db);
  await Promise.all([lists.ensureIndexes(), store.ensureIndexes()]);
  return { lists, counts: new MonitorCounts({ store, clock, log }) };
}
