import type { Mongo } from '../platform/mongo/mongo.ts';
import { DeadLetterStore } from '../results/dead-letters/dead-letter-store.ts';
import { HourStore } from '../results/hours/hour-store.ts';
import { JournalStore } from '../results/journal/journal-store.ts';
import { LeaseStore } from '../results/shards/lease-store.ts';
import { SnapshotStore } from '../results/writing/snapshot-store.ts';
import { StateStore } from '../results/writing/state-store.ts';
import { MongoStatusHistory } from '../results/writing/status-history-store.ts';

export type ResultStores = Awaited<ReturnType<typeof openResultStores>>;

/** The collections of results, with their indexes. */
export async function openResultStores(db: Mongo['db']) {
  const hours = new HourStore(db);
  const states = new StateStore(db);
  const history = new MongoStatusHistory(db);
  const deadLetters = new DeadLetterStore(db);
  await Promise.all([states.ensureIndexes(), history.ensureIndexes(), deadLetters.ensureIndexes()]);
  return {
    journal: new JournalStore(db), snapshots: new SnapshotStore(db), states, hours, rollups: hours, history, changes: history,
    deadLetters, leases: new LeaseStore(db),
  };
}
