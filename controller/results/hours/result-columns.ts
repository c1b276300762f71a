import { PHASES, type Timings } from '../../../shared/contracts/result.ts';
import {
  DEGRADED, flagsOf, HAS_TIME, HAS_TIMINGS, LATE, outcomeOf, rarePartsOf, reasonOf, sourceNumber, tenths,
  type RareParts, type Source,
} from './row-layout.ts';
import type { StoredResult } from './stored-result.ts';

const NONE = new Float64Array(0);

/**
 * Results of one monitor in columns, so that hours are encoded and counted without one object per result.
 * Durations are in tenths of a ms. Missing parts are 0.
 */
export class ResultColumns {
  length = 0;
  /** Sources of the results, indexed by the numbers in `source`. */
  readonly sources: Source[] = [];
  readonly rare = new Map<number, RareParts>();
  source = NONE;
  scheduled = NONE;
  started = NONE;
  flags = NONE;
  attempt = NONE;
  status = NONE;
  time = NONE;
  mask = NONE;
  phases = PHASES.map(() => NONE);

  constructor(capacity = 64) {
    this.#grow(capacity);
  }

  static of(rows: StoredResult[]): ResultColumns {
    const columns = new ResultColumns(rows.length);
    for (const row of rows) columns.add(row);
    return columns;
  }

  /** The index of a new row, which the caller then fills. */
  next(): number {
    if (this.length === this.flags.length) this.#grow(Math.max(64, this.length * 2));
    return this.length++;
  }

  /** Reserves space for this many more rows. */
  reserve(count: number): void {
    if (this.length + count > this.flags.length) this.#grow(this.length + count);
  }

  /** Drops the last row. */
  drop(): void {
    this.length -= 1;
    this.rare.delete(this.length);
  }

  /** Drops the rows after the first `length`. @returns how many. */
  cut(length: number): number {
    const count = Math.max(0, this.length - length);
    for (let left = count; left > 0; left -= 1) this.drop();
    return count;
  }

  add(row: StoredResult): void {
    const at = this.next();
    this.source[at] = sourceNumber(this.sources, row);
    this.scheduled[at] = row.scheduled_at;
    this.started[at] = row.started_at;
    this.flags[at] = flagsOf(row, row.late);
    this.attempt[at] = row.attempt;
    this.status[at] = row.status_code ?? 0;
    this.time[at] = row.response_time_ms === null ? 0 : tenths(row.response_time_ms);
    let mask = row.timings ? HAS_TIMINGS : 0;
    PHASES.forEach((name, bit) => {
      const ms = row.timings?.[name];
      if (ms !== undefined) mask |= 1 << bit;
      (this.phases[bit] as Float64Array)[at] = ms === undefined ? 0 : tenths(ms);
    });
    this.mask[at] = mask;
    const rare = rarePartsOf(row);
    if (rare) this.rare.set(at, rare);
  }

  row(at: number): StoredResult {
    const flags = this.flags[at] as number;
    const rare = this.rare.get(at);
    const { region, probe_id, received } = this.sources[this.source[at] as number] as Source;
    return {
      region, probe_id, scheduled_at: this.scheduled[at] as number, started_at: this.started[at] as number,
      outcome: outcomeOf(flags), degraded: (flags & DEGRADED) !== 0, reason: reasonOf(flags),
      attempt: this.attempt[at] as number, late: (flags & LATE) !== 0,
      response_time_ms: flags & HAS_TIME ? (this.time[at] as number) / 10 : null,
      status_code: this.status[at] || null, error: rare?.error ?? null, missed: rare?.missed ?? null,
      timings: this.#timings(at),
      ...(received ? { received } : {}),
    };
  }

  rows(): StoredResult[] {
    return Array.from({ length: this.length }, (_, at) => this.row(at));
  }

  #timings(at: number): Timings | null {
    const mask = this.mask[at] as number;
    if (mask === 0) return null;
    const timings: Timings = {};
    PHASES.forEach((name, bit) => {
      if (mask & (1 << bit)) timings[name] = ((this.phases[bit] as Float64Array)[at] as number) / 10;
    });
    return timings;
  }

  #grow(capacity: number): void {
    const grown = (column: Float64Array): Float64Array<ArrayBuffer> => {
      const larger = new Float64Array(capacity);
      larger.set(column);
      return larger;
    };
    this.source = grown(this.source);
    this.scheduled = grown(this.scheduled);
    this.started = grown(this.started);
    this.flags = grown(this.flags);
    this.attempt = grown(this.attempt);
    this.status = grown(this.status);
    this.time = grown(this.time);
    this.mask = grown(this.mask);
    this.phases = this.phases.map(grown);
  }
}
