import { MongoClient } from 'mongodb';
import { JournalStore } from '../../controller/results/journal/journal-store.ts';
import { laneName, type CheckResult, type DroppedRange } from '../../shared/contracts/result.ts';
import { shardMap } from './shard-map.ts';

/** The stored results of an installation, read directly from MongoDB. */
export interface Ledger {
  /** Results by monitor; each lane's numbers count once, as under the lane rule. */
  byMonitor: Map<string, CheckResult[]>;
  /** Numbers that probes declared as dropped and that are in no batch, by reason. */
  dropped: Map<string, number>;
  /** Missing numbers between 1 and the last of a lane. */
  holes: string[];
  /** The last number of each lane, by shard, probe and epoch: `3/<lane name>`. */
  ends: Map<string, number>;
  /** Numbers in more than one journal entry: resent by the probe and skipped by the lane rule. */
  repeated: number;
  results: number;
}

/** URL of an installation's embedded store, from its log. */
export function storeUrl(log: string): string {
  const lines = [...log.matchAll(/"msg":"listening","url":"(mongodb:[^"]+)"/g)];
  const last = lines.at(-1)?.[1];
  if (!last) throw new Error('the log names no embedded store');
  return last;
}

/**
 * Reads the whole journal. It is complete only until a snapshot moves, which takes at least an hour and 64 entries of a
 * shard; throws if one has.
 */
export async function readLedger(url: string, database = 'farwatch'): Promise<Ledger> {
  const client = await MongoClient.connect(url);
  try {
    const db = client.db(database);
    const moved = await db.collection('snapshots').findOne({ position: { $gt: 0 } });
    if (moved) throw new Error('a snapshot has moved, so the journal is incomplete');
    const journal = new JournalStore(db);
    const lanes = new Map<string, Map<number, CheckResult | DroppedRange>>();
    let repeated = 0;
    for (const shard of shardMap.all) {
      for (let after = 0; ;) {
        const entries = await journal.read(shard, after, 200);
        for (const { batch, probe_id } of entries.flatMap((entry) => entry.batches)) {
          const name = `${shard}/${laneName(probe_id, batch.epoch)}`;
          const lane = lanes.get(name) ?? new Map<number, CheckResult | DroppedRange>();
          lanes.set(name, lane);
          for (const range of batch.dropped) {
            for (let seq = range.first; seq <= range.last; seq += 1) if (!lane.has(seq)) lane.set(seq, range);
          }
          for (const result of batch.results) {
            if (lane.has(result.seq)) repeated += 1;
            else lane.set(result.seq, result);
          }
        }
        if (entries.length < 200) break;
        after = entries.at(-1)?.n ?? after;
      }
    }
    return summarize(lanes, repeated);
  } finally {
    await client.close();
  }
}

/** Changes of monitors that the journal does not have yet: until it does, results are judged without them. */
export async function countUnjournaled(url: string, database = 'farwatch'): Promise<number> {
  const client = await MongoClient.connect(url);
  try {
    return await client.db(database).collection('monitors').countDocuments({ unjournaled: { $gte: 0 } });
  } finally {
    await client.close();
  }
}

function summarize(lanes: Map<string, Map<number, CheckResult | DroppedRange>>, repeated: number): Ledger {
  const ledger: Ledger = {
    byMonitor: new Map(), dropped: new Map(), holes: [], ends: new Map(), repeated, results: 0,
  };
  for (const [name, lane] of lanes) {
    const last = Math.max(...lane.keys());
    ledger.ends.set(name, last);
    for (let seq = 1; seq <= last; seq += 1) if (!lane.has(seq)) ledger.holes.push(`${name}#${seq}`);
    for (const result of lane.values()) {
      if (!('monitor_id' in result)) {
        ledger.dropped.set(result.reason, (ledger.dropped.get(result.reason) ?? 0) + 1);
        continue;
      }
      const results = ledger.byMonitor.get(result.monitor_id) ?? [];
      ledger.byMonitor.set(result.monitor_id, results);
      results.push(result);
      ledger.results += 1;
    }
  }
  return ledger;
}

/** The number of slots of a monitor, those without a result or missed record, and those with more than one. */
export function slotFaults(
  results: CheckResult[], intervalMs: number,
): { due: number; unexplained: number[]; doubled: number[] } {
  const counts = new Map<number, number>();
  for (const result of results) {
    if (result.reason !== 'schedule') continue;
    const slots = result.missed?.count ?? 1;
    for (let slot = 0; slot < slots; slot += 1) {
      const at = result.scheduled_at + slot * intervalMs;
      counts.set(at, (counts.get(at) ?? 0) + 1);
    }
  }
  // The first check runs immediately, between slots.
  const grid = [...counts.keys()].sort((a, b) => a - b);
  const phase = modeOf(grid.map((at) => at % intervalMs));
  const slots = grid.filter((at) => at % intervalMs === phase);
  const unexplained: number[] = [];
  for (let at = slots[0] ?? 0; at <= (slots.at(-1) ?? -1); at += intervalMs) {
    if (!counts.has(at)) unexplained.push(at);
  }
  const doubled = slots.filter((at) => (counts.get(at) ?? 0) > 1);
  return { due: slots.length + unexplained.length, unexplained, doubled };
}

function modeOf(values: number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}
