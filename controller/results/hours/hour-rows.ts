import { ByteReader } from '../../../shared/contracts/byte-reader.ts';
import { ByteWriter } from '../../../shared/contracts/byte-writer.ts';
import { PHASES, type Timings } from '../../../shared/contracts/result.ts';
import { ResultColumns, type RareParts } from './result-columns.ts';
import { flagsOf, HAS_TIME, HAS_TIMINGS, tenths } from './row-layout.ts';
import type { StoredResult } from './stored-result.ts';

/** Counts of an hour, kept as results come, for answers before the block is written. */
export interface HourCounts {
  total: number;
  failed: number;
  missed: number;
  /** Sum of response times of successful checks, in tenths of a ms. */
  time_sum: number;
  time_count: number;
}

/** Where a result came from, and whether too late to move a verdict. */
export type RowSource = Pick<StoredResult, 'region' | 'probe_id' | 'late'>;
/** What an hour keeps of a result. */
export type RowParts = Omit<StoredResult, keyof RowSource>;

/** In a row's flags, which in blocks leave this bit free: errors or missed slots follow as JSON. */
const HAS_RARE = 1 << 7;

/**
 * Results of one monitor and hour that no block holds yet, each with the number of its journal entry: about 20 bytes
 * a result, where objects would take some 400.
 */
export class HourRows {
  readonly counts: HourCounts = { total: 0, failed: 0, missed: 0, time_sum: 0, time_count: 0 };
  /** Results that came late, by what they said: up, degraded, down; null without any. */
  late: [number, number, number] | null = null;
  /** Number of the first journal entry that is in here and in no block. */
  readonly firstEntry: number;
  readonly #rows = new ByteWriter(96);
  readonly #sources: { region: string; probe_id: string }[] = [];
  readonly #base: number;
  #length = 0;
  #lastEntry: number;
  #lastAt: number;

  constructor(hour: number, firstEntry: number) {
    this.firstEntry = firstEntry;
    this.#lastEntry = firstEntry;
    this.#base = hour;
    this.#lastAt = hour;
  }

  add(entry: number, source: RowSource, row: RowParts): void {
    const out = this.#rows;
    const hasRare = row.error !== null || row.missed !== null;
    out.varint(entry - this.#lastEntry);
    this.#lastEntry = entry;
    out.varint(this.#sourceOf(source));
    out.u8(flagsOf(row, source.late) | (hasRare ? HAS_RARE : 0));
    out.zigzag(row.scheduled_at - this.#lastAt);
    this.#lastAt = row.scheduled_at;
    out.zigzag(row.started_at - row.scheduled_at);
    out.u8(row.attempt);
    out.varint(row.status_code ?? 0);
    if (row.response_time_ms !== null) out.varint(tenths(row.response_time_ms));
    this.#addTimings(row.timings);
    if (hasRare) out.text(JSON.stringify({ ...(row.error ? { error: row.error } : {}), ...(row.missed ? { missed: row.missed } : {}) }));
    this.#length += 1;
    countRow(this.counts, row);
    if (source.late && row.outcome !== 'missed') (this.late ??= [0, 0, 0])[row.outcome === 'failure' ? 2 : row.degraded ? 1 : 0] += 1;
  }

  /** Number of the last journal entry that is in here. */
  get lastEntry(): number {
    return this.#lastEntry;
  }

  /** The results of journal entries above `position` and up to `through`, in the order they came. */
  after(position: number, through = Infinity): StoredResult[] {
    return this.columns(position, through).rows();
  }

  /** The same side by side, behind those that `into` holds. */
  columns(position: number, through = Infinity, into = new ResultColumns(0)): ResultColumns {
    this.#collect(position, through, into);
    return into;
  }

  /** What is left when a block holds everything up to entry `position`; null when nothing is. */
  keepAfter(hour: number, position: number): HourRows | null {
    if (this.lastEntry <= position) return null;
    const left = new ResultColumns(0);
    const entries = this.#collect(position, Infinity, left);
    const rest = new HourRows(hour, entries[0] as number);
    left.rows().forEach((row, at) => rest.add(entries[at] as number, row, row));
    return rest;
  }

  /** @returns the entry of each row that is in `into` now. */
  #collect(position: number, through: number, into: ResultColumns): number[] {
    const entries: number[] = [];
    into.reserve(this.#length);
    const sources = this.#sources.map(({ region, probe_id: probeId }) => into.sourceOf(region, probeId));
    const from = new ByteReader(this.#rows.written());
    let entry = this.firstEntry;
    let at = this.#base;
    while (from.left > 0) {
      entry += from.varint();
      at = readRow(from, { into, place: into.next(), sources, previousAt: at });
      // What is not wanted has to be read all the same, since the next lies behind it.
      if (entry > position && entry <= through) entries.push(entry);
      else into.drop();
    }
    return entries;
  }

  #sourceOf({ region, probe_id: probeId }: RowSource): number {
    const sources = this.#sources;
    for (let number = 0; number < sources.length; number += 1) {
      const known = sources[number];
      if (known?.region === region && known.probe_id === probeId) return number;
    }
    return sources.push({ region, probe_id: probeId }) - 1;
  }

  #addTimings(timings: Timings | null): void {
    if (!timings) return this.#rows.u8(0);
    let mask = HAS_TIMINGS;
    for (let bit = 0; bit < PHASES.length; bit += 1) if (timings[PHASES[bit] as keyof Timings] !== undefined) mask |= 1 << bit;
    this.#rows.u8(mask);
    for (let bit = 0; bit < PHASES.length; bit += 1) {
      const ms = timings[PHASES[bit] as keyof Timings];
      if (ms !== undefined) this.#rows.varint(tenths(ms));
    }
  }
}

/** Reads a row into its place and gives the time it was scheduled at. */
function readRow(from: ByteReader, to: { into: ResultColumns; place: number; sources: number[]; previousAt: number }): number {
  const { into, place } = to;
  into.source[place] = to.sources[from.varint()] as number;
  const flags = from.u8();
  into.flags[place] = flags & ~HAS_RARE;
  const scheduledAt = to.previousAt + from.zigzag();
  into.scheduled[place] = scheduledAt;
  into.started[place] = scheduledAt + from.zigzag();
  into.attempt[place] = from.u8();
  into.status[place] = from.varint();
  into.time[place] = flags & HAS_TIME ? from.varint() : 0;
  const mask = from.u8();
  into.mask[place] = mask;
  for (let bit = 0; bit < PHASES.length; bit += 1) (into.phases[bit] as Float64Array)[place] = mask & (1 << bit) ? from.varint() : 0;
  if (flags & HAS_RARE) into.rare.set(place, JSON.parse(from.text()) as RareParts);
  return scheduledAt;
}

/** Adds one result to the counts of its hour. */
function countRow(counts: HourCounts, row: RowParts): void {
  if (row.outcome === 'missed') {
    counts.missed += row.missed?.count ?? 1;
    return;
  }
  counts.total += 1;
  if (row.outcome === 'failure') counts.failed += 1;
  else if (row.response_time_ms !== null) {
    counts.time_sum += tenths(row.response_time_ms);
    counts.time_count += 1;
  }
}
