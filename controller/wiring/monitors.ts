import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import { CountStore } from '../monitors/counts/count-store.ts';
import { MonitorCounts } from '../monitors/counts/counts.ts';
import { MonitorListStore } from '../monitors/list/list-store.ts';
import { MonitorStore } from '../monitors/store.ts';
import type { Mongo } from '../platform/mongo/mongo.ts';

export interface Monitors {
  store: MonitorStore;
  lists: MonitorListStore;
  /** To be started and stopped. */
  counts: MonitorCounts;
}

/** Monitors, their lists and their counts, with their indexes. */
export async function openMonitors({ db, clock, log }: { db: Mongo['db']; clock: Clock; log: Log }): Promise<Monitors> {
  const store = new MonitorStore(db);
  const lists = new MonitorListStore(db);
  const counts = new CountStore(db);
  await Promise.all([store.ensureIndexes(), lists.ensureIndexes(), counts.ensureIndexes()]);
  return { store, lists, counts: new MonitorCounts({ store: counts, clock, log }) };
}
