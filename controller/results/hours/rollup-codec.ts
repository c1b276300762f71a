import { ByteReader } from '../../../shared/contracts/byte-reader.ts';
import { ByteWriter } from '../../../shared/contracts/byte-writer.ts';
import type { HourTimes } from '../../verdicts/monitor-state.ts';
import type { HourCounts } from './hour-rows.ts';
import type { Histogram, RegionRollup, Rollup, Totals } from './rollup.ts';

/** A rollup as varints behind a format byte: some 80 bytes where a document's fields and their names would take 600. */
const FORMAT = 2;
/** Had one histogram of all regions. */
const FIRST_FORMAT = 1;

export function encodeRollup(rollup: Rollup): Uint8Array {
  const out = new ByteWriter(256);
  out.u8(FORMAT);
  writeCounts(out, rollup);
  for (const ms of [...rollup.booked, ...rollup.times]) out.varint(ms);
  const regions = Object.entries(rollup.regions);
  out.varint(regions.length);
  for (const [name, region] of regions) {
    out.text(name);
    writeCounts(out, region);
    if (region.time_count > 0) writeRegionTimes(out, region);
  }
  return out.take();
}

/** @throws RangeError when the bytes are of a format this version does not know. */
export function decodeRollup(bytes: Uint8Array): Rollup {
  const from = new ByteReader(bytes);
  const format = from.u8();
  const totals = readTotals(from, format);
  if (format === FIRST_FORMAT) return { regions: readFirstRegions(from), ...totals };
  const regions = Object.fromEntries(Array.from({ length: from.varint() }, () => [from.text(), readRegion(from)]));
  return { regions, ...totals };
}

/** The sums of all regions alone, at a fraction of the cost. @throws RangeError like `decodeRollup`. */
export function decodeTotals(bytes: Uint8Array): Totals {
  const from = new ByteReader(bytes);
  return readTotals(from, from.u8());
}

function readTotals(from: ByteReader, format: number): Totals {
  if (format !== FORMAT && format !== FIRST_FORMAT) throw new RangeError(`unknown rollup format ${format}`);
  const counts = readCounts(from);
  return { booked: readTimes(from), times: readTimes(from), ...counts };
}

function writeRegionTimes(out: ByteWriter, region: RegionRollup): void {
  out.varint(region.time_min);
  out.varint(region.time_max - region.time_min);
  out.varint(region.histogram.length);
  let previous = 0;
  for (const [bucket, count] of region.histogram) {
    out.varint(bucket - previous);
    out.varint(count);
    previous = bucket;
  }
}

function readRegion(from: ByteReader): RegionRollup {
  const counts = readCounts(from);
  if (counts.time_count === 0) return { time_min: 0, time_max: 0, histogram: [], ...counts };
  const min = from.varint();
  return { time_min: min, time_max: min + from.varint(), histogram: readHistogram(from), ...counts };
}

function readFirstRegions(from: ByteReader): Record<string, RegionRollup> {
  readHistogram(from);
  return Object.fromEntries(Array.from({ length: from.varint() }, () => [from.text(), { time_min: 0, time_max: 0, histogram: [], ...readCounts(from) }]));
}

function readHistogram(from: ByteReader): Histogram {
  let bucket = 0;
  return Array.from({ length: from.varint() }, (): [number, number] => {
    bucket += from.varint();
    return [bucket, from.varint()];
  });
}

function writeCounts(out: ByteWriter, counts: HourCounts): void {
  for (const value of [counts.total, counts.failed, counts.missed, counts.time_sum, counts.time_count]) out.varint(value);
}

function readCounts(from: ByteReader): HourCounts {
  return { total: from.varint(), failed: from.varint(), missed: from.varint(), time_sum: from.varint(), time_count: from.varint() };
}

function readTimes(from: ByteReader): HourTimes {
  return [from.varint(), from.varint(), from.varint()];
}
