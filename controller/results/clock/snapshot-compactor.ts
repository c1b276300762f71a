import { isDueForWriting, savedThrough } from '../writing/closed-hours.ts';
import { MonitorWalk } from './monitor-walk.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';
import type { ShardState } from '../state/shard-state.ts';

/** Monitors of one shard whose hours are written together. */
export const MONITORS_PER_WRITE = 100;
const FORGET_AFTER_MS = 24 * 3_600_000;

/** What a walk has found to do. */
export interface CompactionWork {
  /** Monitors whose closed hours are due to be written. */
  due: string[];
  /** Monitors deleted long ago. */
  gone: string[];
}

/**
 * Walks over the monitors of one shard, a few at a time, to find hours to write and deleted monitors to drop,
 * and how far the journal is stored in documents. Each monitor's unstored part only moves up, so the lowest
 * entry of a whole walk is safe.
 */
export class SnapshotCompactor {
  readonly #state: ShardState;
  readonly #canWrite: (id: string) => boolean;
  readonly #walk: MonitorWalk<LiveMonitor>;
  #toWalk = 0;
  #due: string[] = [];
  #gone: string[] = [];
  /** The lowest so far in this walk; null before its first monitor. */
  #through: number | null = null;
  #isWalked = false;

  /** `mayTry`: false for a monitor whose hours the database refused a while ago. */
  constructor(state: ShardState, canWrite: (id: string) => boolean) {
    this.#state = state;
    this.#canWrite = canWrite;
    this.#walk = new MonitorWalk(state.monitors);
  }

  beginScan(): void {
    this.#toWalk = this.#walk.quota;
  }

  /** Examines up to `most` monitors left in this round; stops early with enough to do. @returns how many. */
  scan(now: number, limit: number): number {
    let scanned = 0;
    const hasRoom = (): boolean => !this.#isWalked && this.#due.length < MONITORS_PER_WRITE;
    for (; scanned < limit && this.#toWalk > 0 && hasRoom(); scanned += 1) {
      this.#toWalk -= 1;
      this.#through ??= this.#state.n;
      const entry = this.#walk.next();
      if (entry) this.#examine(entry[0], entry[1], now);
      else this.#isWalked = true;
    }
    return scanned;
  }

  /** What was found since the last call. */
  take(): CompactionWork {
    const work = { due: this.#due, gone: this.#gone };
    this.#due = [];
    this.#gone = [];
    this.#toWalk = 0;
    return work;
  }

  /** What was found is written. @returns, after a whole walk, the entry up to which documents have it all. */
  done({ due }: CompactionWork): number | null {
    for (const id of due) this.#lowerThrough(this.#state.monitors.get(id));
    if (!this.#isWalked) return null;
    const through = this.#through;
    this.#isWalked = false;
    this.#through = null;
    return through;
  }

  #examine(id: string, monitor: LiveMonitor, now: number): void {
    if (isDueForWriting(id, monitor, now) && this.#canWrite(id)) this.#due.push(id);
    else this.#lowerThrough(monitor);
    if (isForgettable(monitor, now)) this.#gone.push(id);
  }

  #lowerThrough(monitor: LiveMonitor | undefined): void {
    if (monitor) this.#through = savedThrough(monitor, this.#through ?? this.#state.n);
  }
}

/** A deleted monitor is kept for a day, so that results its probes still send are recognized. */
function isForgettable({ state, hours, unsavedFrom, queued }: LiveMonitor, now: number): boolean {
  return state.config.status === 'deleted' && state.config.changed_at < now - FORGET_AFTER_MS &&
    hours.length === 0 && unsavedFrom === null && queued === 0;
}
