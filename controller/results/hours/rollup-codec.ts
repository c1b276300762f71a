import { ByteReader, ByteWriter } from '../../../shared/contracts/bytes.ts';
import type { HourTimes } from '../../verdicts/monitor-state.ts';
import type { Counts } from './row-layout.ts';
import type { Histogram, RegionRollup, Rollup, Totals } from './rollup.ts';

/** A rollup is encoded as varints after a format byte: about 80 bytes, where a document would take 600. */
const FORMAT = 1;
/** Followed by the maintenance times, if there were any. */
const WITH_MAINTENANCE = 2;

export function encodeRollup(rollup: Rollup): Uint8Array {
  const out = new ByteWriter(256);
  const maintenanceTimes = [...rollup.maintenance.accounted, ...rollup.maintenance.times];
  const hasMaintenance = maintenanceTimes.some((ms) => ms > 0);
  out.u8(hasMaintenance ? WITH_MAINTENANCE : FORMAT);
  writeCounts(out, rollup);
  const times = [...rollup.accounted, ...rollup.times, ...(hasMaintenance ? maintenanceTimes : [])];
  for (const ms of times) out.varint(ms);
  const regions = Object.entries(rollup.regions);
  out.varint(regions.length);
  for (const [name, region] of regions) {
    out.text(name);
    writeCounts(out, region);
    if (region.time_count > 0) writeRegionTimes(out, region);
  }
  return out.take();
}

/** @throws RangeError if this version does not know the format. */
export function decodeRollup(bytes: Uint8Array): Rollup {
  const from = new ByteReader(bytes);
  const totals = readTotals(from);
  return { regions: readRegions(from), ...totals };
}

/**
 * Decodes only the sums over all regions, at a fraction of the cost. @throws RangeError like `decodeRollup`.
 */
export function decodeTotals(bytes: Uint8Array): Totals {
  return readTotals(new ByteReader(bytes));
}

function readTotals(from: ByteReader): Totals {
  const format = from.u8();
  if (![FORMAT, WITH_MAINTENANCE].includes(format)) throw new RangeError(`unknown rollup format ${format}`);
  const counts = readCounts(from);
  const [accounted, times] = [readTimes(from), readTimes(from)];
  const maintenance: Totals['maintenance'] = format === WITH_MAINTENANCE
    ? { accounted: readTimes(from), times: readTimes(from) }
    : { accounted: [0, 0, 0], times: [0, 0, 0] };
  return { accounted, times, maintenance, ...counts };
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

function readRegions(from: ByteReader): Record<string, RegionRollup> {
  const next = (): [string, RegionRollup] => [from.text(), readRegion(from)];
  return Object.fromEntries(Array.from({ length: from.varint() }, next));
}

function readRegion(from: ByteReader): RegionRollup {
  const counts = readCounts(from);
  if (counts.time_count === 0) return { time_min: 0, time_max: 0, histogram: [], ...counts };
  const min = from.varint();
  return { time_min: min, time_max: min + from.varint(), histogram: readHistogram(from), ...counts };
}

function readHistogram(from: ByteReader): Histogram {
  let bucket = 0;
  return Array.from({ length: from.varint() }, (): [number, number] => {
    bucket += from.varint();
    return [bucket, from.varint()];
  });
}

function writeCounts(out: ByteWriter, { total, failed, missed, time_sum, time_count }: Counts): void {
  for (const value of [total, failed, missed, time_sum, time_count]) out.varint(value);
}

function readCounts(from: ByteReader): Counts {
  const next = (): number => from.varint();
  return { total: next(), failed: next(), missed: next(), time_sum: next(), time_count: next() };
}

function readTimes(from: ByteReader): HourTimes {
  return [from.varint(), from.varint(), from.varint()];
}
