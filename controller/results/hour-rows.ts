import { ByteReader } from '../../shared/contracts/byte-reader.ts';
import { ByteWriter } from '../../shared/contracts/byte-writer.ts';
import type { Timings } from '../../shared/contracts/result.ts';
import type { StoredResult } from './stored-result.ts';

const OUTCOMES = ['success', 'failure', 'missed'] as const;
const REASONS = ['schedule', 'confirm', 'manual'] as const;
const PHASES = ['dns', 'connect', 'tls', 'first_byte', 'transfer'] as const;

/** Counts of an hour, kept as results come, for answers before the block is written. */
export interface HourCounts {
  total: number;
  failed: number;
  missed: number;
  /** Sum of response times of successful checks, in tenths of a ms. */
  time_sum: number;
  time_count: number;
}

/**
 * Results of one monitor and hour that no block holds yet, each with the number of its journal entry: about 20 bytes
 * a result, where objects would take some 400.
 */
export class HourRows {
  readonly counts: HourCounts = { total: 0, failed: 0, missed: 0, time_sum: 0, time_count: 0 };
  /** Number of the first journal entry that is in here and in no block. */
  readonly firstEntry: number;
  readonly #rows = new ByteWriter(96);
  readonly #sources: string[] = [];
  readonly #base: number;
  #lastEntry: number;
  #lastAt: number;

  constructor(hour: number, firstEntry: number) {
    this.firstEntry = firstEntry;
    this.#lastEntry = firstEntry;
    this.#base = hour;
    this.#lastAt = hour;
  }

  add(entry: number, row: StoredResult): void {
    const out = this.#rows;
    const rare = row.error || row.missed;
    out.varint(entry - this.#lastEntry);
    this.#lastEntry = entry;
    out.varint(this.#sourceOf(row));
    out.u8(
      OUTCOMES.indexOf(row.outcome) | (row.degraded ? 4 : 0) | (row.late ? 8 : 0) | (REASONS.indexOf(row.reason) << 4)
      | (row.response_time_ms === null ? 0 : 64) | (rare ? 128 : 0),
    );
    out.zigzag(row.scheduled_at - this.#lastAt);
    this.#lastAt = row.scheduled_at;
    out.zigzag(row.started_at - row.scheduled_at);
    out.u8(row.attempt);
    out.varint(row.status_code ?? 0);
    if (row.response_time_ms !== null) out.varint(Math.round(row.response_time_ms * 10));
    this.#addTimings(row.timings);
    if (rare) out.text(JSON.stringify({ error: row.error, missed: row.missed }));
    countRow(this.counts, row);
  }

  /** Number of the last journal entry that is in here. */
  get lastEntry(): number {
    return this.#lastEntry;
  }

  /** The results of journal entries above `position` and up to `through`, in the order they came. */
  after(position: number, through = Infinity): StoredResult[] {
    return [...this.#each()].flatMap(({ entry, row }) => (entry > position && entry <= through ? [row] : []));
  }

  /** What is left when a block holds everything up to entry `position`; null when nothing is. */
  keepAfter(hour: number, position: number): HourRows | null {
    if (this.lastEntry <= position) return null;
    let rest: HourRows | null = null;
    for (const { entry, row } of this.#each()) {
      if (entry <= position) continue;
      rest ??= new HourRows(hour, entry);
      rest.add(entry, row);
    }
    return rest;
  }

  *#each(): Generator<{ entry: number; row: StoredResult }> {
    const from = new ByteReader(this.#rows.take());
    let entry = this.firstEntry;
    let at = this.#base;
    while (from.left > 0) {
      entry += from.varint();
      const row = this.#read(from, at);
      at = row.scheduled_at;
      yield { entry, row };
    }
  }

  #sourceOf(row: StoredResult): number {
    const key = `${row.region}\n${row.probe_id}`;
    const known = this.#sources.indexOf(key);
    return known === -1 ? this.#sources.push(key) - 1 : known;
  }

  #addTimings(timings: Timings | null): void {
    let mask = timings ? 32 : 0;
    if (timings) for (let bit = 0; bit < PHASES.length; bit += 1) if (timings[PHASES[bit] as keyof Timings] !== undefined) mask |= 1 << bit;
    this.#rows.u8(mask);
    if (!timings) return;
    for (const phase of PHASES) {
      const ms = timings[phase];
      if (ms !== undefined) this.#rows.varint(Math.round(ms * 10));
    }
  }

  #read(from: ByteReader, previousAt: number): StoredResult {
    const [region, probeId] = (this.#sources[from.varint()] as string).split('\n') as [string, string];
    const flags = from.u8();
    const scheduledAt = previousAt + from.zigzag();
    const startedAt = scheduledAt + from.zigzag();
    const attempt = from.u8();
    const status = from.varint();
    const time = flags & 64 ? from.varint() / 10 : null;
    const timings = readTimings(from);
    const rare = flags & 128 ? (JSON.parse(from.text()) as Pick<StoredResult, 'error' | 'missed'>) : { error: null, missed: null };
    return {
      region, probe_id: probeId, scheduled_at: scheduledAt, started_at: startedAt, attempt, status_code: status || null,
      outcome: OUTCOMES[flags & 3] as StoredResult['outcome'], degraded: (flags & 4) !== 0, late: (flags & 8) !== 0,
      reason: REASONS[(flags >> 4) & 3] as StoredResult['reason'], response_time_ms: time, timings, error: rare.error, missed: rare.missed,
    };
  }
}

function readTimings(from: ByteReader): Timings | null {
  const mask = from.u8();
  if (mask === 0) return null;
  const timings: Timings = {};
  PHASES.forEach((phase, bit) => {
    if (mask & (1 << bit)) timings[phase] = from.varint() / 10;
  });
  return timings;
}

/** Adds one result to the counts of its hour. */
export function countRow(counts: HourCounts, row: StoredResult): void {
  if (row.outcome === 'missed') {
    counts.missed += row.missed?.count ?? 1;
    return;
  }
  counts.total += 1;
  if (row.outcome === 'failure') counts.failed += 1;
  else if (row.response_time_ms !== null) {
    counts.time_sum += Math.round(row.response_time_ms * 10);
    counts.time_count += 1;
  }
}
