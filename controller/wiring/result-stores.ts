import type { Mongo } from '../platform/mongo/mongo.ts';
import { MongoDeadLetterStore } from '../results/intake/dead-letter-store.ts';
import { MongoHourStore } from '../results/hours/hour-store.ts';
import { MongoJournalStore } from '../results/journal/journal-store.ts';
import { MongoLeaseStore } from '../results/shards/lease-store.ts';
import { MongoSnapshotStore } from '../results/journal/snapshot-store.ts';
import { MongoStateStore } from '../results/shards/state-store.ts';
import { MongoStatusHistory } from '../results/reading/status-history-store.ts';

export type ResultStores = Awaited<ReturnType<typeof openResultStores>>;

/** The collections of results, with their indexes. */
export async function openResultStores(db: Mongo['db']) {
  const hours = new MongoHourStore(db);
  const states = new MongoStateStore(db);
  const history = new MongoStatusHistory(db);
  const deadLetters = new MongoDeadLetterStore(db);
  await Promise.all([states.ensureIndexes(), history.ensureIndexes(), deadLetters.ensureIndexes()]);
  return {
    journal: new MongoJournalStore(db), snapshots: new MongoSnapshotStore(db), states, hours, rollups: hours, history, changes: history,
    deadLetters, leases: new MongoLeaseStore(db),
  };
}
