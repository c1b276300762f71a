import { shardName } from '../../../shared/ids.ts';
import type { ResultBatch } from '../../../shared/contracts/result.ts';
import type { Assigned, JournaledPing, Witness } from '../../verdicts/monitor-state.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';

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
