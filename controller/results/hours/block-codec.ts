import { ByteReader, ByteWriter } from '../../../shared/contracts/bytes.ts';
import { PHASES } from '../../../shared/contracts/result.ts';
import { readColumn, writeColumn } from './column-codec.ts';
import { ResultColumns } from './result-columns.ts';
import { HAS_TIME, type RareParts, type Source } from './row-layout.ts';

/**
 * The format is the first byte of a block. A block holds one monitor's results of one hour, column by column,
 * because neighbours in a column are similar.
 */
const FORMAT = 1;
/**
 * Limit of results per block: about 2 MB of the 16 MB that a document may have. A monitor may have 36,000
 * checks per hour over all its regions.
 */
export const MAX_BLOCK_RESULTS = 100_000;

/** Encodes the results of one hour, in order of their start. */
export function encodeBlock(results: ResultColumns): Uint8Array {
  const count = results.length;
  if (count > MAX_BLOCK_RESULTS) throw new RangeError(`a block holds ${MAX_BLOCK_RESULTS} results`);
  const order = startOrder(results);
  const values = new Float64Array(count);
  const out = new ByteWriter(256 + count * 10);
  const write = (valueOf: (at: number) => number): void => {
    for (let index = 0; index < count; index += 1) values[index] = valueOf(order[index] as number);
    writeColumn(out, values);
  };
  const { source, scheduled, started, flags, attempt, status, mask } = results;
  out.u8(FORMAT);
  out.varint(count);
  const numbers = writeSources(out, results, order);
  write((at) => numbers[source[at] as number] as number);
  writeSteps(out, scheduled, order, values);
  write((at) => (started[at] as number) - (scheduled[at] as number));
  write((at) => flags[at] as number);
  write((at) => attempt[at] as number);
  write((at) => status[at] as number);
  writeTimes(out, results, order, values);
  write((at) => mask[at] as number);
  PHASES.forEach((_, bit) => {
    const phase = results.phases[bit] as Float64Array;
    let length = 0;
    for (const at of order) if ((mask[at] as number) & (1 << bit)) values[length++] = phase[at] as number;
    writeColumn(out, values, length);
  });
  out.text(rareText(results, order));
  return out.take();
}

/** Decodes results in order of their start. @throws RangeError if the format is unknown. */
export function decodeBlock(bytes: Uint8Array): ResultColumns {
  const from = new ByteReader(bytes);
  const format = from.u8();
  const count = from.varint();
  if (format !== FORMAT || count > MAX_BLOCK_RESULTS) throw new RangeError(`unknown block format ${format}`);
  const results = new ResultColumns(count);
  const { sources, source, scheduled, started, flags, attempt, status, time, mask, phases } = results;
  results.length = count;
  for (let left = from.varint(); left > 0; left -= 1) {
    sources.push(sourceOf(from.text()));
  }
  readColumn(from, source);
  readColumn(from, scheduled);
  sumSteps(scheduled);
  readColumn(from, started);
  for (let at = 0; at < count; at += 1) started[at] = (scheduled[at] as number) + (started[at] as number);
  readColumn(from, flags);
  readColumn(from, attempt);
  readColumn(from, status);
  readSome(from, time, flags, HAS_TIME);
  readColumn(from, mask);
  PHASES.forEach((_, bit) => readSome(from, phases[bit] as Float64Array, mask, 1 << bit));
  for (const phase of phases) {
    for (let at = 0; at < count; at += 1) {
      if ((flags[at] as number) & HAS_TIME) time[at] = (time[at] as number) + (phase[at] as number);
    }
  }
  const rare = JSON.parse(from.text()) as Record<string, RareParts>;
  for (const at of Object.keys(rare)) results.rare.set(Number(at), rare[at] as RareParts);
  return results;
}

/** Row indexes in order of start. Rows with the same start keep their order. */
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
  if (length > 2 ** 20 || last - first >= 2 ** 32) {
    return order.sort((a, b) => (started[a] as number) - (started[b] as number) || a - b);
  }
  // One number per row, start before index, sorts without a call per comparison.
  const keys = new Float64Array(length);
  for (let at = 0; at < length; at += 1) keys[at] = ((started[at] as number) - first) * 2 ** 20 + at;
  keys.sort();
  for (let index = 0; index < length; index += 1) order[index] = (keys[index] as number) % 2 ** 20;
  return order;
}

/** Writes each distinct source once, in order of first appearance. @returns their numbers in the block. */
function writeSources(out: ByteWriter, { source, sources }: ResultColumns, order: Uint32Array): number[] {
  const numbers: number[] = sources.map(() => -1);
  const texts: string[] = [];
  for (const at of order) {
    const number = source[at] as number;
    if (numbers[number] !== -1) continue;
    numbers[number] = texts.length;
    texts.push(textOf(sources[number] as Source));
    if (texts.length === sources.length) break;
  }
  out.varint(texts.length);
  for (const text of texts) out.text(text);
  return numbers;
}

/** A source of late results has four parts, any other has two. */
function textOf({ region, probe_id, received }: Source): string {
  return [region, probe_id, ...(received ? [received.at, received.epoch] : [])].join('\n');
}

function sourceOf(text: string): Source {
  const [region = '', probe_id = '', at, epoch] = text.split('\n');
  const received = at === undefined || epoch === undefined ? undefined : { at: Number(at), epoch };
  return { region, probe_id, received };
}

/** Writes the first scheduled time, then the differences between steps: mostly 0. */
function writeSteps(out: ByteWriter, times: Float64Array, order: Uint32Array, values: Float64Array): void {
  let previous = 0;
  let step = 0;
  for (let index = 0; index < order.length; index += 1) {
    const at = times[order[index] as number] as number;
    values[index] = at - previous - step;
    step = index === 0 ? 0 : at - previous;
    previous = at;
  }
  writeColumn(out, values);
}

function sumSteps(values: Float64Array): void {
  let previous = 0;
  let step = 0;
  for (let index = 0; index < values.length; index += 1) {
    const next = (values[index] as number) + step;
    step = index === 0 ? 0 : next;
    previous += next;
    values[index] = previous;
  }
}

/** Writes the excess of response times over the sum of their phases: mostly small. */
function writeTimes(out: ByteWriter, results: ResultColumns, order: Uint32Array, values: Float64Array): void {
  const { flags, time, phases } = results;
  let count = 0;
  for (const at of order) {
    if (!((flags[at] as number) & HAS_TIME)) continue;
    let beyond = time[at] as number;
    for (let bit = 0; bit < PHASES.length; bit += 1) beyond -= (phases[bit] as Float64Array)[at] as number;
    values[count++] = beyond;
  }
  writeColumn(out, values, count);
}

/** Reads a column of only those rows with this bit in `bits`. */
function readSome(from: ByteReader, column: Float64Array, bits: Float64Array, bit: number): void {
  let count = 0;
  for (const value of bits) if (value & bit) count += 1;
  const values = new Float64Array(count);
  readColumn(from, values);
  let next = 0;
  for (let at = 0; at < column.length; at += 1) {
    if ((bits[at] as number) & bit) column[at] = values[next++] as number;
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
