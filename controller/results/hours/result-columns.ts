import { PHASES, type Timings } from '../../../shared/contracts/result.ts';
import { DEGRADED, flagsOf, HAS_TIME, HAS_TIMINGS, LATE, outcomeOf, reasonOf, tenths } from './row-layout.ts';
import type { StoredResult } from './stored-result.ts';

/** What few results have. */
export interface RareParts {
  error?: StoredResult['error'];
  missed?: StoredResult['missed'];
}

/**
 * Results of one monitor side by side, a column for each of their parts: what an hour is packed and counted from without
 * an object for each. Durations are in tenths of a ms; what a row has not is 0 there.
 */
export class ResultColumns {
  length = 0;
  /** Region and probe, by the number in `source`. */
  readonly sources: { region: string; probe_id: string }[] = [];
  readonly rare = new Map<number, RareParts>();
  source: Float64Array;
  scheduled: Float64Array;
  started: Float64Array;
  flags: Float64Array;
  attempt: Float64Array;
  status: Float64Array;
  time: Float64Array;
  mask: Float64Array;
  phases: Float64Array[];

  constructor(capacity = 64) {
    const column = (): Float64Array => new Float64Array(capacity);
    this.source = column();
    this.scheduled = column();
    this.started = column();
    this.flags = column();
    this.attempt = column();
    this.status = column();
    this.time = column();
    this.mask = column();
    this.phases = PHASES.map(column);
  }

  static of(rows: StoredResult[]): ResultColumns {
    const columns = new ResultColumns(Math.max(1, rows.length));
    for (const row of rows) columns.add(row);
    return columns;
  }

  /** Place of a new row, whose parts are then to be written. */
  next(): number {
    if (this.length === this.flags.length) this.#grow(Math.max(64, this.length * 2));
    return this.length++;
  }

  /** Makes room for so many more rows at once. */
  reserve(count: number): void {
    if (this.length + count > this.flags.length) this.#grow(this.length + count);
  }

  /** Takes the last row away. */
  drop(): void {
    this.length -= 1;
    this.rare.delete(this.length);
  }

  /** Number of a source, which is added where it is new. */
  sourceOf(region: string, probeId: string): number {
    const { sources } = this;
    for (let number = 0; number < sources.length; number += 1) {
      const known = sources[number];
      if (known?.region === region && known.probe_id === probeId) return number;
    }
    return sources.push({ region, probe_id: probeId }) - 1;
  }

  add(row: StoredResult): void {
    const at = this.next();
    this.source[at] = this.sourceOf(row.region, row.probe_id);
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
    if (row.error || row.missed) this.rare.set(at, { ...(row.error ? { error: row.error } : {}), ...(row.missed ? { missed: row.missed } : {}) });
  }

  row(at: number): StoredResult {
    const flags = this.flags[at] as number;
    const rare = this.rare.get(at);
    const { region, probe_id } = this.sources[this.source[at] as number] as { region: string; probe_id: string };
    return {
      region, probe_id, scheduled_at: this.scheduled[at] as number, started_at: this.started[at] as number, outcome: outcomeOf(flags),
      degraded: (flags & DEGRADED) !== 0, reason: reasonOf(flags), attempt: this.attempt[at] as number, late: (flags & LATE) !== 0,
      response_time_ms: flags & HAS_TIME ? (this.time[at] as number) / 10 : null, status_code: this.status[at] || null,
      error: rare?.error ?? null, missed: rare?.missed ?? null, timings: this.#timings(at),
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
    const grown = (column: Float64Array): Float64Array => {
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
