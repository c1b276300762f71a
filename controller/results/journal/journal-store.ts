import { Binary, type Collection, type Db } from 'mongodb';
import { decodeBatch } from '../../../shared/contracts/result-pack.ts';
import type { ResultBatch } from '../../../shared/contracts/result.ts';
import { shardName } from '../../../shared/ids.ts';
import { duplicatesOnly, isPermanentlyRefused } from '../../platform/mongo/mongo-errors.ts';
import { each, restoring } from '../../platform/mongo/documents.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import type { Assigned, JournaledPing, Witness } from '../../verdicts/monitor-state.ts';

/** The entry format of this version. A shard with entries of a later format is surrendered. */
export const ENTRY_VERSION = 1;

/** Results of one lane as received: `bytes` are the probe's own, `batch` is their content. */
export interface EntryBatch {
  probe_id: string;
  region: string;
  bytes: Uint8Array;
  batch: ResultBatch;
  /** Lane positions whose results became dead letters or belong to a deleted monitor. */
  refused: number[];
  /** Lane positions whose results arrived too late to affect the verdict. */
  late: number[];
  /** Its probe was in quarantine: the results are stored without effect, not even on past verdicts. */
  muted?: true;
}

/** Decisions that follow neither from results nor from pings, mostly time-based. */
export type ClockDecision =
  | { kind: 'silent'; monitor_id: string; region: string; at: number; reason?: 'quarantined' | 'no_live_probe' }
  /** The assigned regions changed. Applied before batches, so that a region's first result has its vote. */
  | ({ kind: 'assigned'; monitor_id: string; at: number } & Assigned)
  /** A witness region responded about the check of that revision. */
  | { kind: 'witness'; monitor_id: string; region: string; check_revision: number; witness: Witness }
  /** Too few regions report, and no more votes could be obtained in time. */
  | { kind: 'alone'; monitor_id: string; at: number }
  /** The monitor has been unknown long enough for an alert. */
  | { kind: 'no_data'; monitor_id: string; at: number }
  /** Maintenance began or ended: updates the history and held alerts. */
  | { kind: 'maintenance'; monitor_id: string; at: number }
  /** A person resolved or closed this incident. */
  | { kind: 'manual_end'; monitor_id: string; incident_id: string; at: number }
  /** The outage has continued long after that, so another incident must open. */
  | { kind: 'reopen'; monitor_id: string; at: number }
  | { kind: 'overdue'; monitor_id: string; at: number }
  /** The due time that a heartbeat waits for, after unmonitored time in which a ping may have been lost. */
  | { kind: 'due'; monitor_id: string; at: number }
  /** No pings of the shard were processed in this time range. */
  | { kind: 'unwatched'; from: number; until: number }
  /** Heartbeat of an idle shard: only its time matters. */
  | { kind: 'watched' }
  | { kind: 'hour'; until: number };

/**
 * One numbered entry of a shard's journal. Applied in order: configs, assigned regions, batches, pings,
 * clock.
 */
export interface JournalEntry {
  shard: number;
  n: number;
  v: number;
  /** Token of the writer: distinguishes our own unconfirmed insert from another owner's. */
  writer: string;
  /** When it was created, Unix ms by the writer's clock. */
  taken_at: number;
  configs: MonitorConfig[];
  batches: EntryBatch[];
  /** In order of receipt. Each is in `pings` until it is journaled. */
  pings: JournaledPing[];
  clock: ClockDecision[];
  /** Positions of the lanes that this entry moved. */
  lanes: { lane: string; position: number }[];
  /** Stored batches that cannot be decoded. `lanes` includes their positions, so nothing waits for them. */
  unread?: Pick<EntryBatch, 'probe_id' | 'region' | 'bytes'>[];
}

/** Wide enough for a shard's entries at a thousand a second, forever. */
const NUMBER_WIDTH = 14;

/** `<shard>:<n>`, zero-padded, so that ids of one shard sort by number. */
export function entryId(shard: number, n: number): string {
  return `${shardName(shard)}:${String(n).padStart(NUMBER_WIDTH, '0')}`;
}

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
    domains: null, runbook_url: null, alert_severity: null, group_id: null, name_server: null,
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
