import { ByteReader } from '../../shared/contracts/byte-reader.ts';
import { ByteWriter } from '../../shared/contracts/byte-writer.ts';
import type { HourTimes } from '../incidents/monitor-state.ts';
import type { HourCounts } from './hour-rows.ts';
import type { Rollup } from './rollup-rules.ts';

/** A rollup as varints behind a format byte: some 80 bytes where a document's fields and their names would take 600. */
const FORMAT = 1;

export function encodeRollup(rollup: Rollup): Uint8Array {
  const out = new ByteWriter(256);
  out.u8(FORMAT);
  writeCounts(out, rollup);
  for (const ms of [...rollup.booked, ...rollup.times]) out.varint(ms);
  out.varint(rollup.histogram.length);
  let previous = 0;
  for (const [bucket, count] of rollup.histogram) {
    out.varint(bucket - previous);
    out.varint(count);
    previous = bucket;
  }
  const regions = Object.entries(rollup.regions);
  out.varint(regions.length);
  for (const [name, counts] of regions) {
    out.text(name);
    writeCounts(out, counts);
  }
  return out.take();
}

/** @throws RangeError when the bytes are of a format this version does not know. */
export function decodeRollup(bytes: Uint8Array): Rollup {
  const from = new ByteReader(bytes);
  const format = from.u8();
  if (format !== FORMAT) throw new RangeError(`unknown rollup format ${format}`);
  const counts = readCounts(from);
  const booked = readTimes(from);
  const times = readTimes(from);
  let bucket = 0;
  const histogram = Array.from({ length: from.varint() }, (): [number, number] => {
    bucket += from.varint();
    return [bucket, from.varint()];
  });
  const regions = Object.fromEntries(Array.from({ length: from.varint() }, () => [from.text(), readCounts(from)]));
  return { ...counts, booked, times, histogram, regions };
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
