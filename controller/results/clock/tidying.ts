import { isDueForWriting, savedThrough } from '../hours/closed-hours.ts';
import { MonitorWalk } from './monitor-walk.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';
import type { ShardState } from '../state/shard-state.ts';

/** Monitors of one shard whose blocks are written at once. */
export const MONITORS_PER_WRITE = 100;
const FORGET_AFTER_MS = 24 * 3_600_000;

/** What a walk has found to do. */
export interface TidyWork {
  /** Monitors whose closed hours are due to be written. */
  due: string[];
  /** Deleted ones that are forgotten. */
  gone: string[];
}

/**
 * Finds what of one shard is to be written and forgotten, and how far the journal is in documents: in walks over all of its
 * monitors, a few at a time. What a monitor has in the journal alone only moves up, so the least that a whole walk has met holds.
 */
export class Tidying {
  readonly #state: ShardState;
  readonly #walk: MonitorWalk<LiveMonitor>;
  #toWalk = 0;
  #due: string[] = [];
  #gone: string[] = [];
  /** Of the walk under way; null before its first monitor. */
  #through: number | null = null;
  #isWalked = false;

  constructor(state: ShardState) {
    this.#state = state;
    this.#walk = new MonitorWalk(state.monitors);
  }

  beginRound(): void {
    this.#toWalk = this.#walk.quota;
  }

  /** Looks at `most` monitors at most that this round has left, and stops where there is enough to do. @returns how many. */
  look(now: number, most: number): number {
    let looks = 0;
    for (; looks < most && this.#toWalk > 0 && !this.#isWalked && this.#due.length < MONITORS_PER_WRITE; looks += 1) {
      this.#toWalk -= 1;
      this.#through ??= this.#state.n;
      const met = this.#walk.next();
      if (met) this.#lookAt(met[0], met[1], now);
      else this.#isWalked = true;
    }
    return looks;
  }

  /** What was found since this was last asked. */
  take(): TidyWork {
    const work = { due: this.#due, gone: this.#gone };
    this.#due = [];
    this.#gone = [];
    this.#toWalk = 0;
    return work;
  }

  /** To be called when what was found is written. @returns the entry up to which nothing is only in the journal, after a whole walk. */
  done({ due }: TidyWork): number | null {
    for (const id of due) this.#keep(this.#state.monitors.get(id));
    if (!this.#isWalked) return null;
    const through = this.#through;
    this.#isWalked = false;
    this.#through = null;
    return through;
  }

  #lookAt(id: string, cell: LiveMonitor, now: number): void {
    if (isDueForWriting(id, cell, now)) this.#due.push(id);
    else this.#keep(cell);
    if (isForgettable(cell, now)) this.#gone.push(id);
  }

  #keep(cell: LiveMonitor | undefined): void {
    if (cell) this.#through = savedThrough(cell, this.#through ?? this.#state.n);
  }
}

/** A deleted monitor is remembered for a day, so that what its probes still send is no riddle. */
function isForgettable({ state, hours, unsavedFrom, queued }: LiveMonitor, now: number): boolean {
  return state.config.status === 'deleted' && state.config.changed_at < now - FORGET_AFTER_MS && hours.size === 0 && unsavedFrom === null && queued === 0;
}
