import { isDueForWriting, savedThrough } from '../writing/closed-hours.ts';
import { MonitorWalk } from './monitor-walk.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';
import type { ShardState } from '../state/shard-state.ts';

/** Monitors of one shard whose hours are written together. */
export const MONITORS_PER_WRITE = 100;
const FORGET_AFTER_MS = 24 * 3_600_000;

/** Pending work found by a walk. */
export interface CompactionWork {
  /** Monitors whose closed hours are due for writing. */
  due: string[];
  /** Monitors deleted long ago. */
  gone: string[];
}

/**
 * Walks over one shard's monitors, a few at a time, to find hours to write, deleted monitors to drop, and how
 * far documents cover the journal. A monitor's unsaved part only moves up, so the lowest entry of a whole
 * walk is safe.
 */
export class SnapshotCompactor {
  readonly #state: ShardState;
  readonly #canWrite: (id: string) => boolean;
  readonly #walk: MonitorWalk<LiveMonitor>;
  #toWalk = 0;
  #due: string[] = [];
  #gone: string[] = [];
  /** The lowest entry so far in this walk; null before its first monitor. */
  #through: number | null = null;
  #isWalked = false;

  /** `canWrite`: false for a monitor whose hours the database recently refused. */
  constructor(state: ShardState, canWrite: (id: string) => boolean) {
    this.#state = state;
    this.#canWrite = canWrite;
    this.#walk = new MonitorWalk(state.monitors);
  }

  beginScan(): void {
    this.#toWalk = this.#walk.quota;
  }

  /**
   * Examines up to `limit` of the monitors left in this scan and stops early with enough work. @returns how
   * many.
   */
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

  /** The work found since the last call. */
  take(): CompactionWork {
    const work = { due: this.#due, gone: this.#gone };
    this.#due = [];
    this.#gone = [];
    this.#toWalk = 0;
    return work;
  }

  /** The work is written. @returns the entry up to which documents are complete, after a whole walk only. */
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

/** A deleted monitor stays for a day, so that late results of its probes are recognized. */
function isForgettable({ state, hours, unsavedFrom, queued }: LiveMonitor, now: number): boolean {
  return state.config.status === 'deleted' && state.config.changed_at < now - FORGET_AFTER_MS &&
    hours.length === 0 && unsavedFrom === null && queued === 0;
}
