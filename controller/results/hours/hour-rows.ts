import { ByteReader, ByteWriter } from '../../../shared/contracts/bytes.ts';
import { writeTimings } from '../../../shared/contracts/result-pack.ts';
import { PHASES } from '../../../shared/contracts/result.ts';
import { ResultColumns } from './result-columns.ts';
import {
  countResult, flagsOf, HAS_TIME, HAS_TIMINGS, isFilling, noCounts, rarePartsOf, sourceNumber, tenths,
  timesColumn, type RareParts, type Source,
} from './row-layout.ts';
import type { StoredResult } from './stored-result.ts';

/** Where and when a result came from, and whether it arrived too late to affect the verdict. */
export type RowSource = Source & Pick<StoredResult, 'late'>;
export type RowParts = Omit<StoredResult, keyof RowSource>;

/**
 * Limit of error bytes per monitor and hour: over two thousand short messages. Beyond it an error keeps its
 * type but not its message, so that no target can make an hour too large to be written.
 */
const MAX_ERROR_BYTES = 524_288;

/** Row flag for errors and missed slots, which follow as JSON. Blocks do not use this bit. */
const HAS_RARE = 1 << 7;

/**
 * One monitor's unwritten results of one hour, each with its journal entry. A result takes about 20 bytes; an
 * object would take about 400.
 */
export class HourRows {
  readonly counts = noCounts();
  /** Late scheduled results by status: up, degraded, down; null if there are none. */
  late: [number, number, number] | null = null;
  /** Start of the hour, Unix ms. */
  readonly hour: number;
  /** The first journal entry with unwritten results. */
  readonly firstEntry: number;
  readonly #rows = new ByteWriter(96);
  /** Nearly always one: the first comes in an array without space for more, which would take 120 bytes. */
  #sources: Source[] = [];
  /** Rows per source. */
  readonly #ofSource: number[] = [0];
  #length = 0;
  #lastEntry: number;
  #lastAt: number;
  #errorBytes = 0;
  #allowance = 0;

  constructor(hour: number, firstEntry: number) {
    this.firstEntry = firstEntry;
    this.#lastEntry = firstEntry;
    this.hour = hour;
    this.#lastAt = hour;
  }

  /** @throws Error if the row cannot be encoded; nothing of it is then stored. */
  add(entry: number, source: RowSource, row: RowParts): void {
    const { length } = this.#rows;
    try {
      this.#write(entry, source, row);
    } catch (error) {
      this.#rows.reset(length);
      throw error;
    }
  }

  #write(entry: number, source: RowSource, row: RowParts): void {
    const out = this.#rows;
    const rare = this.#rareTextOf(row);
    const time = row.response_time_ms === null ? null : tenths(row.response_time_ms);
    out.varint(entry - this.#lastEntry);
    const { region, probe_id, received } = source;
    if (this.#sources.length === 0) this.#sources = [{ region, probe_id, received }];
    const from = sourceNumber(this.#sources, source);
    out.varint(from);
    const flags = flagsOf(row, source.late);
    out.u8(flags | (rare === null ? 0 : HAS_RARE));
    out.zigzag(row.scheduled_at - this.#lastAt);
    out.zigzag(row.started_at - row.scheduled_at);
    out.u8(row.attempt);
    out.varint(row.status_code ?? 0);
    if (time !== null) out.varint(time);
    if (row.timings) writeTimings(out, row.timings, HAS_TIMINGS);
    else out.u8(0);
    if (rare !== null) out.text(rare);
    this.#lastEntry = entry;
    this.#lastAt = row.scheduled_at;
    this.#length += 1;
    this.#ofSource[from] = (this.#ofSource[from] ?? 0) + 1;
    this.#errorBytes += rare?.length ?? 0;
    countResult(this.counts, row.outcome, time, row.missed?.count ?? 1);
    if (isFilling(flags)) {
      (this.late ??= [0, 0, 0])[timesColumn(row.outcome, row.degraded)] += 1;
    }
  }

  /**
   * True if one region has reached its allowance. The largest allowance counts, so that a monitor checked
   * more often earlier in the hour is not refused.
   */
  isFullFor(region: string, allowance: number): boolean {
    if (allowance > this.#allowance) this.#allowance = allowance;
    if (this.#length < this.#allowance) return false;
    const numbers = this.#sources.flatMap((source, number) => (source.region === region ? [number] : []));
    return numbers.reduce((sum, number) => sum + (this.#ofSource[number] ?? 0), 0) >= this.#allowance;
  }

  #rareTextOf(row: RowParts): string | null {
    const rare = rarePartsOf(row);
    if (!rare) return null;
    const text = JSON.stringify(rare);
    if (!rare.error || this.#errorBytes + text.length <= MAX_ERROR_BYTES) return text;
    return JSON.stringify({ ...rare, error: { ...rare.error, message: '' } });
  }

  /** The last journal entry with results in here. */
  get lastEntry(): number {
    return this.#lastEntry;
  }

  /** The results of journal entries above `position` and up to `through`, in order of arrival. */
  after(position: number, through = Infinity): StoredResult[] {
    return this.columns(position, through).rows();
  }

  /** The same results as columns, appended to `into`. */
  columns(position: number, through = Infinity, into = new ResultColumns(0)): ResultColumns {
    this.#collect(position, through, into);
    return into;
  }

  /** The rows that remain when a block includes everything up to entry `position`; null if none do. */
  rowsAfter(position: number): HourRows | null {
    if (this.lastEntry <= position) return null;
    const left = new ResultColumns(0);
    const entries = this.#collect(position, Infinity, left);
    const rest = new HourRows(this.hour, entries[0] as number);
    left.rows().forEach((row, at) => rest.add(entries[at] as number, row, row));
    return rest;
  }

  /** @returns the entries of the appended rows. */
  #collect(position: number, through: number, into: ResultColumns): number[] {
    const entries: number[] = [];
    into.reserve(this.#length);
    const sources = this.#sources.map((source) => sourceNumber(into.sources, source));
    const from = new ByteReader(this.#rows.written());
    let entry = this.firstEntry;
    let at = this.hour;
    while (from.bytesLeft > 0) {
      entry += from.varint();
      const place = into.next();
      into.source[place] = sources[from.varint()] as number;
      readRow(from, into, place, at);
      at = into.scheduled[place] as number;
      // Skipped rows must be read too, because the next row follows them.
      if (entry > position && entry <= through) entries.push(entry);
      else into.drop();
    }
    return entries;
  }
}

/** Reads a row into that place. */
function readRow(from: ByteReader, into: ResultColumns, place: number, previousAt: number): void {
  const flags = from.u8();
  into.flags[place] = flags & ~HAS_RARE;
  const scheduledAt = previousAt + from.zigzag();
  into.scheduled[place] = scheduledAt;
  into.started[place] = scheduledAt + from.zigzag();
  into.attempt[place] = from.u8();
  into.status[place] = from.varint();
  into.time[place] = flags & HAS_TIME ? from.varint() : 0;
  const mask = from.u8();
  into.mask[place] = mask;
  for (let bit = 0; bit < PHASES.length; bit += 1) {
    (into.phases[bit] as Float64Array)[place] = mask & (1 << bit) ? from.varint() : 0;
  }
  if (flags & HAS_RARE) into.rare.set(place, JSON.parse(from.text()) as RareParts);
}

/** Results of the hour that starts at `hour` (Unix ms); undefined without any. */
export function rowsOf({ hours }: { hours: readonly HourRows[] }, hour: number): HourRows | undefined {
  // The current hour comes last.
  for (let at = hours.length - 1; at >= 0; at -= 1) if (hours[at]?.hour === hour) return hours[at];
  return undefined;
}
