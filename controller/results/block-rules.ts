import { ByteReader } from '../../shared/contracts/byte-reader.ts';
import { ByteWriter } from '../../shared/contracts/byte-writer.ts';
import type { Timings } from '../../shared/contracts/result.ts';
import { readColumn, writeColumn } from './column-rules.ts';
import type { StoredResult } from './stored-result.ts';

/** A block: the results of one monitor and hour, column by column, since neighbours in a column are alike. The first byte is the format. */
const FORMAT = 1;
const OUTCOMES = ['success', 'failure', 'missed'] as const;
const REASONS = ['schedule', 'confirm', 'manual'] as const;
const PHASES = ['dns', 'connect', 'tls', 'first_byte', 'transfer'] as const;
const DEGRADED = 4;
const LATE = 8;
const HAS_TIME = 64;
/** More results than a monitor can have in an hour; a block that claims more is not ours. */
const MOST_RESULTS = 1_000_000;

interface Rare {
  error?: StoredResult['error'];
  missed?: StoredResult['missed'];
}

/** Bytes of the results of one hour, in order of their start. */
export function encodeBlock(rows: StoredResult[]): Uint8Array {
  const sorted = [...rows].sort((a, b) => a.started_at - b.started_at);
  const out = new ByteWriter(64 + sorted.length * 8);
  out.u8(FORMAT);
  out.varint(sorted.length);
  const sources = writeSources(out, sorted);
  writeColumn(out, sorted.map((row) => sources.get(sourceOf(row)) as number));
  writeColumn(out, stepChanges(sorted));
  writeColumn(out, sorted.map((row) => row.started_at - row.scheduled_at));
  writeColumn(out, sorted.map(flagsOf));
  writeColumn(out, sorted.map((row) => row.attempt));
  writeColumn(out, sorted.map((row) => row.status_code ?? 0));
  writeColumn(out, sorted.flatMap((row) => (row.response_time_ms === null ? [] : [tenths(row.response_time_ms) - sumOf(row.timings)])));
  writeTimings(out, sorted);
  out.text(JSON.stringify(rareOf(sorted)));
  return out.take();
}

/**
 * The results that a block holds, in order of their start.
 * @throws RangeError when the bytes are of a format this version does not know.
 */
export function decodeBlock(bytes: Uint8Array): StoredResult[] {
  const from = new ByteReader(bytes);
  const format = from.u8();
  const count = from.varint();
  if (format !== FORMAT || count > MOST_RESULTS) throw new RangeError(`unknown block format ${format}`);
  const sources = Array.from({ length: from.varint() }, () => from.text().split('\n') as [string, string]);
  const source = readColumn(from, count);
  const scheduled = fromStepChanges(readColumn(from, count));
  const lateness = readColumn(from, count);
  const flags = readColumn(from, count);
  const attempts = readColumn(from, count);
  const statuses = readColumn(from, count);
  const beyondPhases = readColumn(from, flags.filter((flag) => flag & HAS_TIME).length);
  const timings = readTimings(from, count);
  const rare = JSON.parse(from.text()) as Record<string, Rare>;
  let nextTime = 0;
  return flags.map((flag, index) => {
    const [region, probeId] = sources[source[index] as number] as [string, string];
    const scheduledAt = scheduled[index] as number;
    return {
      region, probe_id: probeId, scheduled_at: scheduledAt, started_at: scheduledAt + (lateness[index] as number),
      outcome: OUTCOMES[flag & 3] as StoredResult['outcome'], degraded: (flag & DEGRADED) !== 0,
      reason: REASONS[(flag >> 4) & 3] as StoredResult['reason'], attempt: attempts[index] as number, late: (flag & LATE) !== 0,
      response_time_ms: flag & HAS_TIME ? ((beyondPhases[nextTime++] as number) + sumOf(timings[index] ?? null)) / 10 : null,
      status_code: statuses[index] || null, error: rare[index]?.error ?? null, missed: rare[index]?.missed ?? null, timings: timings[index] as Timings | null,
    };
  });
}

function flagsOf(row: StoredResult): number {
  return OUTCOMES.indexOf(row.outcome) | (row.degraded ? DEGRADED : 0) | (row.late ? LATE : 0)
    | (REASONS.indexOf(row.reason) << 4) | (row.response_time_ms === null ? 0 : HAS_TIME);
}

function sourceOf(row: StoredResult): string {
  return `${row.region}\n${row.probe_id}`;
}

/** Writes each distinct source once; the map gives each its number. */
function writeSources(out: ByteWriter, rows: StoredResult[]): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const row of rows) if (!numbers.has(sourceOf(row))) numbers.set(sourceOf(row), numbers.size);
  out.varint(numbers.size);
  for (const key of numbers.keys()) out.text(key);
  return numbers;
}

/** The first scheduled time, then by how much each step to the next differs from the one before: mostly 0. */
function stepChanges(rows: StoredResult[]): number[] {
  let previous = 0;
  let step = 0;
  return rows.map((row, index) => {
    const next = row.scheduled_at - previous;
    const change = next - step;
    step = index === 0 ? 0 : next;
    previous = row.scheduled_at;
    return change;
  });
}

function fromStepChanges(changes: number[]): number[] {
  let previous = 0;
  let step = 0;
  return changes.map((change, index) => {
    const next = change + step;
    step = index === 0 ? 0 : next;
    previous += next;
    return previous;
  });
}

/** A mask for each row (0: none; bit 5: an object without phases), then a column for each phase. */
function writeTimings(out: ByteWriter, rows: StoredResult[]): void {
  writeColumn(out, rows.map((row) => {
    if (!row.timings) return 0;
    let mask = 32;
    PHASES.forEach((phase, bit) => {
      if (row.timings?.[phase] !== undefined) mask |= 1 << bit;
    });
    return mask;
  }));
  for (const phase of PHASES) {
    writeColumn(out, rows.flatMap((row) => (row.timings?.[phase] === undefined ? [] : [tenths(row.timings[phase] as number)])));
  }
}

function readTimings(from: ByteReader, count: number): (Timings | null)[] {
  const masks = readColumn(from, count);
  const timings = masks.map((mask): Timings | null => (mask ? {} : null));
  PHASES.forEach((phase, bit) => {
    const having = timings.filter((_, index) => (masks[index] as number) & (1 << bit)) as Timings[];
    const values = readColumn(from, having.length);
    having.forEach((each, index) => {
      each[phase] = (values[index] as number) / 10;
    });
  });
  return timings;
}

/** What a check took is mostly what its phases took together, in tenths of a ms. */
function sumOf(timings: Timings | null): number {
  let sum = 0;
  if (timings) for (const phase of PHASES) sum += tenths(timings[phase] ?? 0);
  return sum;
}

function rareOf(rows: StoredResult[]): Record<number, Rare> {
  const rare: Record<number, Rare> = {};
  rows.forEach((row, index) => {
    if (row.error || row.missed) rare[index] = { ...(row.error ? { error: row.error } : {}), ...(row.missed ? { missed: row.missed } : {}) };
  });
  return rare;
}

function tenths(ms: number): number {
  return Math.round(ms * 10);
}
