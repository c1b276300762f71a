import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ByteReader } from '../../shared/contracts/byte-reader.ts';
import { ByteWriter } from '../../shared/contracts/byte-writer.ts';
import type { Timings } from '../../shared/contracts/result.ts';
import type { StoredResult } from './stored-result.ts';

/**
 * A block: the results of one monitor and hour, column by column, then deflated: neighbours in a column are alike.
 * The first byte is the format.
 */
const FORMAT = 1;
const OUTCOMES = ['success', 'failure', 'missed'] as const;
const REASONS = ['schedule', 'confirm', 'manual'] as const;
const PHASES = ['dns', 'connect', 'tls', 'first_byte', 'transfer'] as const;
const DEGRADED = 4;
const LATE = 8;
const HAS_TIME = 64;
/** A block larger than this when inflated is not ours. */
const LARGEST_BYTES = 64 * 1024 * 1024;

interface Rare {
  error?: StoredResult['error'];
  missed?: StoredResult['missed'];
}

/** Bytes of the results of one hour, in order of their start. */
export function encodeBlock(rows: StoredResult[]): Uint8Array {
  const sorted = [...rows].sort((a, b) => a.started_at - b.started_at);
  const out = new ByteWriter(64 + sorted.length * 16);
  out.varint(sorted.length);
  const sources = column(out, sorted, (row) => `${row.region}\n${row.probe_id}`);
  writeEach(out, sorted, (row) => sources.get(`${row.region}\n${row.probe_id}`) as number);
  writeTimes(out, sorted);
  writeEach(out, sorted, flagsOf);
  writeEach(out, sorted, (row) => row.attempt);
  writeEach(out, sorted, (row) => row.status_code ?? 0);
  writeEach(out, sorted.filter((row) => row.response_time_ms !== null), (row) => tenths(row.response_time_ms as number));
  writeTimings(out, sorted);
  out.text(JSON.stringify(rareOf(sorted)));
  const packed = deflateRawSync(out.take(), { level: 6 });
  const bytes = new Uint8Array(packed.length + 1);
  bytes[0] = FORMAT;
  bytes.set(packed, 1);
  return bytes;
}

/**
 * The results that a block holds, in order of their start.
 * @throws RangeError when the bytes are of a format this version does not know.
 */
export function decodeBlock(bytes: Uint8Array): StoredResult[] {
  if (bytes[0] !== FORMAT) throw new RangeError(`unknown block format ${bytes[0]}`);
  const from = new ByteReader(inflateRawSync(bytes.subarray(1), { maxOutputLength: LARGEST_BYTES }));
  const count = from.varint();
  const sources = Array.from({ length: from.varint() }, () => from.text().split('\n') as [string, string]);
  const sourceOf = readEach(from, count);
  const times = readTimes(from, count);
  const flags = readEach(from, count);
  const attempts = readEach(from, count);
  const statuses = readEach(from, count);
  const durations = readEach(from, flags.filter((flag) => flag & HAS_TIME).length);
  const timings = readTimings(from, count);
  const rare = JSON.parse(from.text()) as Record<string, Rare>;
  let nextDuration = 0;
  return flags.map((flag, index) => {
    const [region, probeId] = sources[sourceOf[index] as number] as [string, string];
    return {
      region, probe_id: probeId, scheduled_at: (times[index] as Instants).scheduled, started_at: (times[index] as Instants).started,
      outcome: OUTCOMES[flag & 3] as StoredResult['outcome'], degraded: (flag & DEGRADED) !== 0, late: (flag & LATE) !== 0,
      reason: REASONS[(flag >> 4) & 3] as StoredResult['reason'], attempt: attempts[index] as number,
      response_time_ms: flag & HAS_TIME ? (durations[nextDuration++] as number) / 10 : null, status_code: statuses[index] || null,
      error: rare[index]?.error ?? null, missed: rare[index]?.missed ?? null, timings: timings[index] as Timings | null,
    };
  });
}

function flagsOf(row: StoredResult): number {
  return OUTCOMES.indexOf(row.outcome) | (row.degraded ? DEGRADED : 0) | (row.late ? LATE : 0)
    | (REASONS.indexOf(row.reason) << 4) | (row.response_time_ms === null ? 0 : HAS_TIME);
}

/** Writes the distinct keys once; the map gives each its number. */
function column(out: ByteWriter, rows: StoredResult[], keyOf: (row: StoredResult) => string): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const row of rows) if (!numbers.has(keyOf(row))) numbers.set(keyOf(row), numbers.size);
  out.varint(numbers.size);
  for (const key of numbers.keys()) out.text(key);
  return numbers;
}

function writeEach(out: ByteWriter, rows: StoredResult[], valueOf: (row: StoredResult) => number): void {
  for (const row of rows) out.varint(valueOf(row));
}

function readEach(from: ByteReader, count: number): number[] {
  return Array.from({ length: count }, () => from.varint());
}

interface Instants {
  scheduled: number;
  started: number;
}

/** Scheduled times as changes of their step, which is nearly constant; starts as lateness. */
function writeTimes(out: ByteWriter, rows: StoredResult[]): void {
  let previous = 0;
  let step = 0;
  for (const row of rows) {
    const next = row.scheduled_at - previous;
    out.zigzag(next - step);
    step = previous === 0 ? 0 : next;
    previous = row.scheduled_at;
  }
  for (const row of rows) out.zigzag(row.started_at - row.scheduled_at);
}

function readTimes(from: ByteReader, count: number): Instants[] {
  let previous = 0;
  let step = 0;
  const times: Instants[] = [];
  for (let index = 0; index < count; index += 1) {
    const next = from.zigzag() + step;
    step = previous === 0 ? 0 : next;
    previous += next;
    times.push({ scheduled: previous, started: 0 });
  }
  for (const time of times) time.started = time.scheduled + from.zigzag();
  return times;
}

/** A mask for each row (0: none; bit 5: an object without phases), then a column for each phase. */
function writeTimings(out: ByteWriter, rows: StoredResult[]): void {
  writeEach(out, rows, (row) => {
    if (!row.timings) return 0;
    let mask = 32;
    PHASES.forEach((phase, bit) => {
      if (row.timings?.[phase] !== undefined) mask |= 1 << bit;
    });
    return mask;
  });
  for (const phase of PHASES) {
    for (const row of rows) {
      const ms = row.timings?.[phase];
      if (ms !== undefined) out.varint(tenths(ms));
    }
  }
}

function readTimings(from: ByteReader, count: number): (Timings | null)[] {
  const masks = readEach(from, count);
  const timings = masks.map((mask): Timings | null => (mask ? {} : null));
  PHASES.forEach((phase, bit) => {
    masks.forEach((mask, index) => {
      if (mask & (1 << bit)) (timings[index] as Timings)[phase] = from.varint() / 10;
    });
  });
  return timings;
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
