import type { HourStore } from '../../../controller/results/hours/hour-store.ts';
import type { ShardsDeps } from '../../../controller/results/shards/shards.ts';
import type { StateRecord } from '../../../controller/results/state/records.ts';

export interface Writes {
  /** Commands, and documents in them. */
  commands: number;
  documents: number;
}

/** A database that returns the states from `load`, accepts and counts all writes immediately, and stores nothing. */
export function countedStores(
  load: (shard: number) => StateRecord[],
): { stores: ShardsDeps['stores']; writes: Writes } {
  const writes: Writes = { commands: 0, documents: 0 };
  const wrote = async (documents: number): Promise<void> => {
    writes.commands += 1;
    writes.documents += documents;
  };
  const one = (): Promise<void> => wrote(1);
  const stores: ShardsDeps['stores'] = {
    journal: {
      insert: async (entries) => {
        await wrote(entries.length);
        return entries.map(() => 'written');
      },
      read: async () => [], deleteThrough: one,
    },
    snapshots: {
      numbers: async () => new Map(), load: async () => ({ n: 0, lanes: [], taken_at: 0 }), move: one,
    },
    checkpoints: { load: async () => null, begin: async () => ({ add: one, finish: one }) },
    states: {
      load: async (shard) => load(shard), find: async () => [],
      write: (records) => wrote(records.length), clearOutboxes: (done) => wrote(done.length),
      remove: (ids) => wrote(ids.length),
    },
    hours: {
      read: async () => [], write: (records) => wrote(records.length),
      rollDays: (days: Parameters<HourStore['rollDays']>[0]) => wrote(days.length),
    },
    deadLetters: { add: (letters) => wrote(letters.length) },
    history: { add: one }, certificates: { save: one, remove: (ids) => wrote(ids.length) },
    targetChanges: { record: one, forget: (ids) => wrote(ids.length) },
    features: { save: one, remove: (ids) => wrote(ids.length) },
    incidents: { open: one, resolve: one, regionChanged: one, recordVotes: one }, alerts: { fanOut: one },
  };
  return { stores, writes };
}
