import type { MonitorEffect, MonitorState } from '../../verdicts/monitor-state.ts';
import type { DeadLetter, JournalEntry } from './journal-entry.ts';
import type { ResultColumns } from '../hours/result-columns.ts';
import type { Rollup } from '../hours/rollup-rules.ts';
import type { StoredResult } from '../hours/stored-result.ts';

/** `written`: it is in; `ours`: it was in already, by an earlier unanswered try; `taken`: another owner has that number. */
export type InsertOutcome = 'written' | 'ours' | 'taken';

/** Durable on return (`w: majority, j: true`). Every method throws when the database gave no answer. */
export interface JournalStore {
  /** At most one entry per shard; each is judged on its own. */
  insert(entries: JournalEntry[]): Promise<InsertOutcome[]>;
  /** Entries with a number above `after`, in order, at most `limit`. */
  read(shard: number, after: number, limit: number): Promise<JournalEntry[]>;
  deleteThrough(shard: number, n: number): Promise<void>;
}

/** Up to `n` everything is in blocks, rollups and state documents; `lanes` are the positions after entry `n`. */
export interface Snapshot {
  n: number;
  lanes: Record<string, number>;
  /** When entry `n` was taken, Unix ms; absent where an older version wrote it. */
  taken_at?: number | undefined;
  /** When each lane was last moved, Unix ms; lanes that an earlier version wrote have none. */
  moved?: Record<string, number>;
}

export interface SnapshotStore {
  /** Numbers of the shards' snapshots; 0 where there is none. */
  numbers(shards: number[]): Promise<Map<number, number>>;
  load(shard: number): Promise<Snapshot>;
  /** Moves forward only. */
  move(shard: number, snapshot: Snapshot): Promise<void>;
}

/** A monitor's state after entry `position`, and what that entry still wants done. */
export interface StateRecord {
  monitor_id: string;
  shard: number;
  position: number;
  state: MonitorState;
  outbox: MonitorEffect[];
}

export interface StateStore {
  load(shard: number): Promise<StateRecord[]>;
  find(monitorIds: string[]): Promise<StateRecord[]>;
  /** Each where the stored position is lower; one that is ahead stays. */
  write(records: StateRecord[]): Promise<void>;
  /** Empties the outboxes of records that still stand at that position. */
  clearOutboxes(done: { monitor_id: string; position: number }[]): Promise<void>;
  remove(monitorIds: string[]): Promise<void>;
}

/** The results and the rollup of one monitor and hour as of entry `position`. */
export interface HourRecord {
  monitor_id: string;
  hour: number;
  position: number;
  rows: ResultColumns;
  rollup: Rollup;
}

/** A monitor's hour or day; `hour` and `day` are their starts, Unix ms. */
export interface HourKey {
  monitor_id: string;
  hour: number;
}

export interface HourResults extends HourKey {
  /** In order of their start. */
  rows: StoredResult[];
}

export interface DayKey {
  monitor_id: string;
  day: number;
}

export interface HourStore {
  read(keys: HourKey[]): Promise<HourRecord[]>;
  /** Each where the stored position is lower. */
  write(records: HourRecord[]): Promise<void>;
  /** Makes the days' rollups from their hours, each where the stored position is lower. */
  rollDays(days: (DayKey & { position: number })[]): Promise<void>;
}

export interface DeadLetterStore {
  /** Inserts if absent. */
  add(letters: DeadLetter[]): Promise<void>;
}
