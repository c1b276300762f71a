import {
  MAX_BATCH_BYTES, MAX_BATCH_RESULTS, type CheckResult, type DroppedRange, type DropReason, type ResultBatch,
} from '../../shared/contracts/result.ts';
import { decodeBatch, encodeBatch } from '../../shared/contracts/result-pack.ts';
import type { Taken } from './lane.ts';

/** A batch as it is stored and sent. */
export interface PackedBatch {
  first: number;
  last: number;
  count: number;
  bytes: Uint8Array;
}

/** Packs all numbers from `first` up to the last one taken into batches within the wire limits. */
export function packTaken(taken: Taken, first: number, engine: string): PackedBatch[] {
  const batches: PackedBatch[] = [];
  const { results, refused, last, lane } = taken;
  let from = first;
  for (let at = 0; at < results.length || from <= last; at += MAX_BATCH_RESULTS) {
    const part = results.slice(at, at + MAX_BATCH_RESULTS);
    const following = results[at + MAX_BATCH_RESULTS];
    const to = following ? following.seq - 1 : last;
    packPart(
      batches,
      { epoch: lane.epoch, engine, first: from, last: to, results: part, dropped: within(refused, from, to) },
    );
    from = to + 1;
  }
  return batches;
}

function packPart(into: PackedBatch[], batch: ResultBatch): void {
  const bytes = encodeBatch(batch);
  const { results, dropped, first, last } = batch;
  if (bytes.length <= MAX_BATCH_BYTES || results.length < 2) {
    into.push({ first, last, count: results.length, bytes });
    return;
  }
  const half = results.length >>> 1;
  const cut = (results[half] as CheckResult).seq - 1;
  packPart(
    into, { ...batch, last: cut, results: results.slice(0, half), dropped: within(dropped, first, cut) },
  );
  packPart(
    into, { ...batch, first: cut + 1, results: results.slice(half), dropped: within(dropped, cut + 1, last) },
  );
}

function within(ranges: DroppedRange[], first: number, last: number): DroppedRange[] {
  return ranges.filter((range) => range.first >= first && range.last <= last);
}

/** A batch that only declares numbers as dropped. */
export function packDropped(
  epoch: string, engine: string, first: number, last: number, reason: DropReason,
): PackedBatch {
  return {
    first, last, count: 0,
    bytes: encodeBatch({ epoch, engine, first, last, results: [], dropped: [{ first, last, reason }] }),
  };
}

/** Merges consecutive batches of one lane; returns only the first if they can't be merged. */
export function mergeBatches(parts: PackedBatch[]): PackedBatch {
  const head = parts[0] as PackedBatch;
  if (parts.length === 1) return head;
  try {
    const batches = parts.map((part) => decodeBatch(part.bytes));
    const results = batches.flatMap((batch) => batch.results);
    const dropped = batches.flatMap((batch) => batch.dropped);
    const { last } = parts[parts.length - 1] as PackedBatch;
    const { epoch, engine } = batches[0] as ResultBatch;
    return {
      first: head.first, last, count: results.length,
      bytes: encodeBatch({ epoch, engine, first: head.first, last, results, dropped }),
    };
  } catch {
    return head;
  }
}
