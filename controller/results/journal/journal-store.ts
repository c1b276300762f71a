import { Binary, type Collection, type Db } from 'mongodb';
import type { JournaledPing, Witness } from '../../verdicts/monitor-state.ts';
import { shardName } from '../../../shared/ids.ts';
import { decodeBatch } from '../../../shared/contracts/result-pack.ts';
import {
  ENTRY_VERSION, entryId, type ClockDecision, type EntryBatch, type JournalEntry,
} from './journal-entry.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import { duplicatesOnly, isPermanentlyRefused } from '../../platform/mongo/mongo-errors.ts';
import { each, restoring } from '../../platform/mongo/null-fields.ts';

/**
 * `written`: inserted; `ours`: already inserted by an earlier unconfirmed attempt; `taken`: another owner has
 * that number; `refused`: the database rejects it permanently.
 */
export type InsertOutcome = 'written' | 'ours' | 'taken' | 'refused';

interface JournalDoc {
  /** Its `entryId`, so that a range of ids selects a part of the journal. */
  _id: string;
  v: number;
  writer: string;
  taken_at: number;
  configs?: MonitorConfig[];
  batches?: (Pick<EntryBatch, 'probe_id' | 'region' | 'muted'> & {
    bytes: Binary; refused?: number[]; late?: number[];
  })[];
  pings?: JournaledPing[];
  clock?: ClockDecision[];
  lanes?: JournalEntry['lanes'];
}

const restoreAssigned = restoring<ClockDecision & { kind: 'assigned' }>({ domains: null });
const restoreWitness = restoring<Witness>({ error: null });

function restoreDecision(decision: ClockDecision): ClockDecision {
  if (decision.kind === 'assigned') restoreAssigned(decision);
  else if (decision.kind === 'witness') restoreWitness(decision.witness);
  return decision;
}

const restoreDoc = restoring<JournalDoc>({}, {
  configs: each(restoring<MonitorConfig>({
    slow_response_threshold_ms: null, heartbeat: null, domain_expires_at: null, assigned: null,
    domains: null,
  })),
  pings: each(restoring<JournaledPing>({ exit_code: null, run_ms: null })),
  clock: each(restoreDecision),
});

/**
 * Collection `journal`. Returned writes are durable (`w: majority, j: true`). Every method throws if the
 * database does not respond.
 */
export class JournalStore {
  readonly #journal: Collection<JournalDoc>;

  constructor(db: Db) {
    this.#journal = db.collection<JournalDoc>('journal');
  }

  /** Inserts at most one entry per shard. Each outcome is independent. */
  async insert(entries: JournalEntry[]): Promise<InsertOutcome[]> {
    const outcomes = entries.map((): InsertOutcome => 'written');
    try {
      await this.#journal.insertMany(entries.map(toDoc), { ordered: false });
    } catch (error) {
      const taken = duplicatesOnly(error);
      if (taken) {
        for (const index of taken) outcomes[index] = await this.#whose(entries[index] as JournalEntry);
      } else if (!isPermanentlyRefused(error)) throw error;
      else if (entries.length === 1) return ['refused'];
      // One unwritable document fails the whole command, so the entries are retried one by one.
      else return (await Promise.all(entries.map((entry) => this.insert([entry])))).flat();
    }
    return outcomes;
  }

  /** Up to `limit` entries with a number above `after`, in order. */
  async read(shard: number, after: number, limit: number): Promise<JournalEntry[]> {
    const range = { $gt: entryId(shard, after), $lt: `${shardName(shard)}:~` };
    const docs = await this.#journal.find({ _id: range }).sort({ _id: 1 }).limit(limit).toArray();
    return docs.map(toEntry);
  }

  async deleteThrough(shard: number, n: number): Promise<void> {
    await this.#journal.deleteMany({ _id: { $gt: `${shardName(shard)}:`, $lte: entryId(shard, n) } });
  }

  async #whose(entry: JournalEntry): Promise<InsertOutcome> {
    const found = await this.#journal.findOne(
      { _id: entryId(entry.shard, entry.n) }, { projection: { writer: 1, taken_at: 1 } },
    );
    return found?.writer === entry.writer && found.taken_at === entry.taken_at ? 'ours' : 'taken';
  }
}

function toDoc(entry: JournalEntry): JournalDoc {
  return {
    _id: entryId(entry.shard, entry.n), v: entry.v, writer: entry.writer, taken_at: entry.taken_at,
    ...(entry.configs.length > 0 ? { configs: entry.configs } : {}),
    ...(entry.batches.length > 0 ? {
      batches: entry.batches.map(({ probe_id, region, bytes, refused, late, muted }) => ({
        probe_id, region, bytes: new Binary(bytes), ...(refused.length > 0 ? { refused } : {}),
        ...(late.length > 0 ? { late } : {}), ...(muted ? { muted } : {}),
      })),
    } : {}),
    ...(entry.pings.length > 0 ? { pings: entry.pings } : {}),
    ...(entry.clock.length > 0 ? { clock: entry.clock } : {}),
    ...(entry.lanes.length > 0 ? { lanes: entry.lanes } : {}),
  };
}

/** Reads only `v` of an entry in a later format, whose shard is surrendered. */
function toEntry(doc: JournalDoc): JournalEntry {
  const [shard, n] = doc._id.split(':').map(Number) as [number, number];
  const entry: JournalEntry = {
    shard, n, v: doc.v, writer: doc.writer, taken_at: doc.taken_at, configs: [], batches: [], pings: [],
    clock: [], lanes: [],
  };
  if (doc.v !== ENTRY_VERSION) return entry;
  restoreDoc(doc);
  for (const stored of doc.batches ?? []) {
    const { probe_id, region, bytes: { buffer: bytes }, refused = [], late = [], muted } = stored;
    try {
      const decoded = { probe_id, region, bytes, batch: decodeBatch(bytes), refused, late };
      entry.batches.push(muted ? { ...decoded, muted } : decoded);
    } catch {
      (entry.unread ??= []).push({ probe_id, region, bytes });
    }
  }
  return {
    ...entry, configs: doc.configs ?? [], pings: doc.pings ?? [], clock: doc.clock ?? [],
    lanes: doc.lanes ?? [],
  };
}
