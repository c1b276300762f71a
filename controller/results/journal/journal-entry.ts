import { shardName } from '../../../shared/ids.ts';
import type { ResultBatch } from '../../../shared/contracts/result.ts';
import type { Assigned, JournaledPing, Witness } from '../../verdicts/monitor-state.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';

/** The format of entries that this version writes. It gives up a shard that holds entries of a later one. */
export const ENTRY_VERSION = 1;

/** Results of one lane as they came: `bytes` are the probe's own, `batch` what they hold. */
export interface EntryBatch {
  probe_id: string;
  region: string;
  bytes: Uint8Array;
  batch: ResultBatch;
  /** Places of the lane whose results were set aside in `dead_letters` (or belong to a deleted monitor). */
  refused: number[];
  /** Places of the lane whose results were taken too late to move a verdict. */
  late: number[];
  /** Its probe was in quarantine: the results are stored and decide nothing, not even the past. */
  muted?: true;
}

/** What neither results nor pings say: mostly what only the clock knows. */
export type ClockDecision =
  | { kind: 'silent'; monitor_id: string; region: string; at: number; reason?: 'quarantined' | 'no_live_probe' }
  /** Other regions have the monitor now. Applied before batches: a region's first result has its vote. */
  | ({ kind: 'assigned'; monitor_id: string; at: number } & Assigned)
  /** A region that does not have the monitor was asked, on its check of that revision. */
  | { kind: 'witness'; monitor_id: string; region: string; check_revision: number; witness: Witness }
  /** Too few regions report, and nobody else could be asked in time. */
  | { kind: 'alone'; monitor_id: string; at: number }
  /** The monitor has been unknown for so long that people are to hear of it. */
  | { kind: 'no_data'; monitor_id: string; at: number }
  /** Maintenance has begun, or is over: the history and held alerts are to say so. */
  | { kind: 'maintenance'; monitor_id: string; at: number }
  /** A person has resolved or closed this incident. */
  | { kind: 'manual_end'; monitor_id: string; incident_id: string; at: number }
  /** The outage has gone on for long since then: another incident is to open. */
  | { kind: 'reopen'; monitor_id: string; at: number }
  | { kind: 'overdue'; monitor_id: string; at: number }
  /** Nobody took pings in this time, for any heartbeat of the shard. */
  | { kind: 'unwatched'; from: number; until: number }
  /** All is well: says only that, by the entry's time. */
  | { kind: 'watched' }
  | { kind: 'hour'; until: number };

/** One number of a shard's journal. Applied in order: configs, assigned regions, batches, pings, clock. */
export interface JournalEntry {
  shard: number;
  n: number;
  v: number;
  /** Token of the writer: tells an unanswered insert of our own from another owner's. */
  writer: string;
  /** When it was taken, Unix ms by the writer's clock. */
  taken_at: number;
  configs: MonitorConfig[];
  batches: EntryBatch[];
  /** In order of their receipt; each has its document in `pings` until it is here. */
  pings: JournaledPing[];
  clock: ClockDecision[];
  /** Positions of the lanes that this entry moved. */
  lanes: { lane: string; position: number }[];
  /** Stored batches that cannot be decoded. `lanes` includes their places, so nothing waits for them. */
  unread?: Pick<EntryBatch, 'probe_id' | 'region' | 'bytes'>[];
}

/** Wide enough for a shard's entries at a thousand a second for ever. */
const NUMBER_WIDTH = 14;

/** `<shard>:<n>`, zero-padded: ids of one shard sort by their numbers. */
export function entryId(shard: number, n: number): string {
  return `${shardName(shard)}:${String(n).padStart(NUMBER_WIDTH, '0')}`;
}
