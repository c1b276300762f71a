import { ByteReader } from '../../../shared/contracts/byte-reader.ts';
import { ByteWriter } from '../../../shared/contracts/byte-writer.ts';
import { PHASES, type Timings } from '../../../shared/contracts/result.ts';
import { readColumn, writeColumn } from './column-codec.ts';
import type { RareParts, ResultColumns } from './result-columns.ts';
import { DEGRADED, HAS_TIME, LATE, outcomeOf, reasonOf, tenths } from './row-layout.ts';
import type { StoredResult } from './stored-result.ts';

/** A block: the results of one monitor and hour, column by column, since neighbours in a column are alike. The first byte is the format. */
const FORMAT = 1;
/** More results than a monitor can have in an hour; a block that claims more is not ours. */
const MOST_RESULTS = 1_000_000;

/** Bytes of the results of one hour, in order of their start. */
export function encodeBlock(results: ResultColumns): Uint8Array {
  const count = results.length;
  const order = startOrder(results);
  const values = new Float64Array(count);
  const out = new ByteWriter(256 + count * 10);
  const write = (valueOf: (at: number, index: number) => number): void => {
    for (let index = 0; index < count; index += 1) values[index] = valueOf(order[index] as number, index);
    writeColumn(out, values);
  };
  const { source, scheduled, started, flags, attempt, status } = results;
  out.u8(FORMAT);
  out.varint(count);
  const numbers = writeSources(out, results, order);
  write((at) => numbers[source[at] as number] as number);
  writeStepChanges(out, results, order, values);
  write((at) => (started[at] as number) - (scheduled[at] as number));
  write((at) => flags[at] as number);
  write((at) => attempt[at] as number);
  write((at) => status[at] as number);
  writeTimes(out, results, order, values);
  writePhases(out, results, order, values);
  out.text(rareText(results, order));
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
  const rare = JSON.parse(from.text()) as Record<string, RareParts>;
  let nextTime = 0;
  return flags.map((flag, index) => {
    const [region, probeId] = sources[source[index] as number] as [string, string];
    const scheduledAt = scheduled[index] as number;
    return {
      region, probe_id: probeId, scheduled_at: scheduledAt, started_at: scheduledAt + (lateness[index] as number),
      outcome: outcomeOf(flag), degraded: (flag & DEGRADED) !== 0,
      reason: reasonOf(flag), attempt: attempts[index] as number, late: (flag & LATE) !== 0,
      response_time_ms: flag & HAS_TIME ? ((beyondPhases[nextTime++] as number) + sumOf(timings[index] ?? null)) / 10 : null,
      status_code: statuses[index] || null, error: rare[index]?.error ?? null, missed: rare[index]?.missed ?? null, timings: timings[index] as Timings | null,
    };
  });
}

/** Places of the rows by their start; rows of one start keep their order. */
function startOrder({ started, length }: ResultColumns): Uint32Array {
  const order = new Uint32Array(length);
  let first = Infinity;
  let last = -Infinity;
  let isSorted = true;
  for (let at = 0; at < length; at += 1) {
    order[at] = at;
    const start = started[at] as number;
    if (start < last) isSorted = false;
    else last = start;
    if (start < first) first = start;
  }
  if (isSorted) return order;
  if (length > 2 ** 20 || last - first >= 2 ** 32) return order.sort((a, b) => (started[a] as number) - (started[b] as number) || a - b);
  // As one number each, start before place: sorted without a call for each comparison.
  const keys = new Float64Array(length);
  for (let at = 0; at < length; at += 1) keys[at] = ((started[at] as number) - first) * 2 ** 20 + at;
  keys.sort();
  for (let index = 0; index < length; index += 1) order[index] = (keys[index] as number) % 2 ** 20;
  return order;
}

/** Writes each distinct source once, in the order of their first rows, and gives the number that each has in the block. */
function writeSources(out: ByteWriter, { source, sources }: ResultColumns, order: Uint32Array): number[] {
  const numbers: number[] = sources.map(() => -1);
  const texts: string[] = [];
  for (const at of order) {
    const known = source[at] as number;
    if (numbers[known] !== -1) continue;
    numbers[known] = texts.length;
    texts.push(`${sources[known]?.region}\n${sources[known]?.probe_id}`);
    if (texts.length === sources.length) break;
  }
  out.varint(texts.length);
  for (const text of texts) out.text(text);
  return numbers;
}

/** The first scheduled time, then by how much each step to the next differs from the one before: mostly 0. */
function writeStepChanges(out: ByteWriter, { scheduled }: ResultColumns, order: Uint32Array, values: Float64Array): void {
  let previous = 0;
  let step = 0;
  for (let index = 0; index < order.length; index += 1) {
    const at = scheduled[order[index] as number] as number;
    values[index] = at - previous - step;
    step = index === 0 ? 0 : at - previous;
    previous = at;
  }
  writeColumn(out, values);
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

/** What a check took is mostly what its phases took together. */
function writeTimes(out: ByteWriter, { flags, time, phases }: ResultColumns, order: Uint32Array, values: Float64Array): void {
  let count = 0;
  for (const at of order) {
    if (!((flags[at] as number) & HAS_TIME)) continue;
    let beyond = time[at] as number;
    for (let bit = 0; bit < PHASES.length; bit += 1) beyond -= (phases[bit] as Float64Array)[at] as number;
    values[count++] = beyond;
  }
  writeColumn(out, values, count);
}

/** A mask for each row, then a column for each phase. */
function writePhases(out: ByteWriter, { mask, phases }: ResultColumns, order: Uint32Array, values: Float64Array): void {
  for (let index = 0; index < order.length; index += 1) values[index] = mask[order[index] as number] as number;
  writeColumn(out, values);
  for (let bit = 0; bit < PHASES.length; bit += 1) {
    const phase = phases[bit] as Float64Array;
    let count = 0;
    for (const at of order) if ((mask[at] as number) & (1 << bit)) values[count++] = phase[at] as number;
    writeColumn(out, values, count);
  }
}

function rareText({ rare }: ResultColumns, order: Uint32Array): string {
  if (rare.size === 0) return '{}';
  const byPlace: Record<number, RareParts> = {};
  order.forEach((at, index) => {
    const parts = rare.get(at);
    if (parts) byPlace[index] = parts;
  });
  return JSON.stringify(byPlace);
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

/** In tenths of a ms. */
function sumOf(timings: Timings | null): number {
  let sum = 0;
  if (timings) for (const phase of PHASES) sum += tenths(timings[phase] ?? 0);
  return sum;
}
