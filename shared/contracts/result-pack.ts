import { z } from 'zod';
import { ByteReader, ByteWriter } from './bytes.ts';
import type { UuidCache } from '../ids.ts';
import {
  checkError, checkResult, DROP_REASONS, droppedRange, EPOCH, MAX_SEQ, LATEST_INSTANT_MS, MAX_ATTEMPTS,
  missedSlots, OUTCOMES, PHASES, REASONS, resultDetail, targetFacts, tlsFacts,
  type CheckResult, type DroppedRange, type ResultBatch, type Timings,
} from './result.ts';

/**
 * First byte of a packed batch, on the wire and in the journal; `{` starts the JSON format documented for
 * readers. Packed: varint rows, durations in 0.1 ms, instants as differences, and rare fields (errors,
 * facts, details) as JSON behind a flag.
 */
export const PACKED_FORMAT = 1;
const JSON_FORMAT = 0x7b;

const DEGRADED = 1 << 2;
const HAS_RESPONSE_TIME = 1 << 5;
const HAS_TIMINGS = 1 << 6;
const HAS_EXTRAS = 1 << 7;
/** The mask of timings that include every phase. */
const ALL_PHASES = (1 << PHASES.length) - 1;

/** Fields that few results have. */
const extras = z.object({
  error: checkError.optional(),
  missed: missedSlots.optional(),
  tls: tlsFacts.optional(),
  facts: targetFacts.optional(),
  detail: resultDetail.optional(),
});

const jsonBatch = z.object({
  v: z.literal(1),
  epoch: z.string().regex(EPOCH),
  engine: z.string().max(64).default(''),
  results: z.array(checkResult).max(1000),
  dropped: z.array(droppedRange).max(1000).default([]),
});

/**
 * Encodes a batch in the packed format. The batch must be valid, so that `decodeBatch` returns the same
 * batch.
 */
export function encodeBatch(batch: ResultBatch): Uint8Array {
  const out = new ByteWriter();
  out.u8(PACKED_FORMAT);
  out.text(batch.epoch);
  out.text(batch.engine);
  out.varint(batch.first);
  out.varint(batch.last - batch.first);
  out.varint(batch.dropped.length);
  for (const range of batch.dropped) {
    out.varint(range.first - batch.first);
    out.varint(range.last - range.first);
    out.u8(DROP_REASONS.indexOf(range.reason));
  }
  out.varint(batch.results.length);
  const addresses = new Map<string, number>();
  let seq = batch.first;
  let at = 0;
  for (const result of batch.results) {
    out.varint(result.seq - seq);
    seq = result.seq;
    encodeRow(out, result, at, addresses);
    at = result.scheduled_at;
  }
  return out.take();
}

function encodeRow(
  out: ByteWriter, result: CheckResult, previousAt: number, addresses: Map<string, number>,
): void {
  const extra = extrasOf(result);
  out.uuid(result.monitor_id);
  const contained = (result.response_time_ms === null ? 0 : HAS_RESPONSE_TIME)
    | (result.timings ? HAS_TIMINGS : 0) | (extra ? HAS_EXTRAS : 0);
  const degraded = result.degraded ? DEGRADED : 0;
  out.u8(OUTCOMES.indexOf(result.outcome) | degraded | (REASONS.indexOf(result.reason) << 3) | contained);
  out.varint(result.assignment_rev);
  out.u8(result.attempt);
  out.zigzag(result.scheduled_at - previousAt);
  out.zigzag(result.started_at - result.scheduled_at);
  if (result.response_time_ms !== null) out.varint(Math.round(result.response_time_ms * 10));
  out.varint(result.status_code ?? 0);
  encodeAddress(out, result.remote_address, addresses);
  if (result.timings) writeTimings(out, result.timings, 0);
  if (extra) out.text(JSON.stringify(extra));
}

/** Writes 0 for none, 1 for a new address, which follows, or n + 2 for the nth address seen. */
function encodeAddress(out: ByteWriter, address: string | null, seen: Map<string, number>): void {
  if (address === null) return out.varint(0);
  const index = seen.get(address);
  if (index !== undefined) return out.varint(index + 2);
  seen.set(address, seen.size);
  out.varint(1);
  out.text(address);
}

/** Writes a mask of the phases present, combined with `flags`, then each phase in tenths of a ms. */
export function writeTimings(out: ByteWriter, timings: Timings, flags: number): void {
  // Explicit names, in the order of PHASES: computed property names cost several times as much.
  const { dns, connect, tls, first_byte, transfer } = timings;
  const mask = bitOf(dns, 0) | bitOf(connect, 1) | bitOf(tls, 2) | bitOf(first_byte, 3) | bitOf(transfer, 4);
  out.u8(flags | mask);
  writePhase(out, dns);
  writePhase(out, connect);
  writePhase(out, tls);
  writePhase(out, first_byte);
  writePhase(out, transfer);
}

function bitOf(ms: number | undefined, phase: number): number {
  return ms === undefined ? 0 : 1 << phase;
}

function writePhase(out: ByteWriter, ms: number | undefined): void {
  if (ms !== undefined) out.varint(Math.round(ms * 10));
}

function extrasOf(result: CheckResult): z.infer<typeof extras> | null {
  const { error, missed, tls, facts, detail } = result;
  if (!error && !missed && !tls && !facts && !detail) return null;
  return {
    ...(error ? { error } : {}),
    ...(missed ? { missed } : {}),
    ...(tls ? { tls } : {}),
    ...(facts ? { facts } : {}),
    ...(detail ? { detail } : {}),
  };
}

/**
 * Decodes a batch in either format. `ids` caches the text of monitor ids. @throws Error (a RangeError,
 * SyntaxError or ZodError) if the batch is invalid; none of it may be used.
 */
export function decodeBatch(bytes: Uint8Array, ids: UuidCache | null = null): ResultBatch {
  if (bytes[0] === JSON_FORMAT) return decodeJson(bytes);
  const reader = new ByteReader(bytes, ids);
  const format = reader.u8();
  if (format !== PACKED_FORMAT) throw new RangeError(`unknown batch format ${format}`);
  const batch = decodePacked(reader);
  if (reader.bytesLeft > 0) throw new RangeError('bytes after the end of the batch');
  return assertContiguous(batch);
}

function decodeJson(bytes: Uint8Array): ResultBatch {
  const parsed = jsonBatch.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  const seqs = [
    ...parsed.results.map((result) => result.seq),
    ...parsed.dropped.flatMap((range) => [range.first, range.last]),
  ];
  if (seqs.length === 0) throw new RangeError('an empty batch');
  return assertContiguous({
    epoch: parsed.epoch, engine: parsed.engine, results: parsed.results, dropped: parsed.dropped,
    first: Math.min(...seqs), last: Math.max(...seqs),
  });
}

function decodePacked(reader: ByteReader): ResultBatch {
  const epoch = reader.text();
  const engine = reader.text();
  if (!EPOCH.test(epoch) || engine.length > 64) throw new RangeError('epoch or engine has a bad length');
  const first = checkedSeq(reader.varint());
  const last = checkedSeq(first + reader.varint());
  const dropped: DroppedRange[] = [];
  for (let left = countOf(reader); left > 0; left -= 1) {
    const start = checkedSeq(first + reader.varint());
    const end = checkedSeq(start + reader.varint());
    dropped.push({ first: start, last: end, reason: valueAt(DROP_REASONS, reader.u8()) });
  }
  const results: CheckResult[] = [];
  const addresses: string[] = [];
  let seq = first;
  let at = 0;
  for (let left = countOf(reader); left > 0; left -= 1) {
    seq = checkedSeq(seq + reader.varint());
    const result = decodeRow(reader, seq, at, addresses);
    at = result.scheduled_at;
    results.push(result);
  }
  return { epoch, engine, first, last, results, dropped };
}

function countOf(reader: ByteReader): number {
  const count = reader.varint();
  if (count > 1000) throw new RangeError('more than 1000 in one batch');
  return count;
}

function decodeRow(reader: ByteReader, seq: number, previousAt: number, addresses: string[]): CheckResult {
  const monitorId = reader.uuid();
  const flags = reader.u8();
  const rev = positive(reader.varint());
  const attempt = positive(reader.u8());
  if (attempt > MAX_ATTEMPTS) throw new RangeError('too many attempts');
  const scheduledAt = instant(previousAt + reader.zigzag());
  const startedAt = instant(scheduledAt + reader.zigzag());
  const responseTime = flags & HAS_RESPONSE_TIME ? duration(reader) : null;
  const status = reader.varint();
  if (status !== 0 && (status < 100 || status > 999)) throw new RangeError('a status code is out of range');
  const address = decodeAddress(reader, addresses);
  const timings = flags & HAS_TIMINGS ? decodeTimings(reader) : null;
  const extra = flags & HAS_EXTRAS ? extras.parse(JSON.parse(reader.text())) : null;
  const result: CheckResult = {
    seq, monitor_id: monitorId, assignment_rev: rev, attempt, reason: valueAt(REASONS, (flags >> 3) & 3),
    scheduled_at: scheduledAt, started_at: startedAt, response_time_ms: responseTime,
    outcome: valueAt(OUTCOMES, flags & 3), degraded: (flags & DEGRADED) !== 0, status_code: status || null,
    error: extra?.error ?? null, missed: extra?.missed ?? null, timings, remote_address: address,
    tls: extra?.tls ?? null, detail: extra?.detail ?? null,
  };
  if (extra?.facts) result.facts = extra.facts;
  return result;
}

function decodeAddress(reader: ByteReader, seen: string[]): string | null {
  const code = reader.varint();
  if (code === 0) return null;
  if (code === 1) {
    const newAddress = reader.text();
    if (newAddress.length > 64) throw new RangeError('an address is too long');
    seen.push(newAddress);
    return newAddress;
  }
  const address = seen[code - 2];
  if (address === undefined) throw new RangeError('an address is not in the list');
  return address;
}

function decodeTimings(reader: ByteReader): Timings {
  const mask = reader.u8();
  if (mask === ALL_PHASES) {
    return {
      dns: duration(reader), connect: duration(reader), tls: duration(reader), first_byte: duration(reader),
      transfer: duration(reader),
    };
  }
  const timings: Timings = {};
  for (let phase = 0; phase < PHASES.length; phase += 1) {
    if (mask & (1 << phase)) timings[PHASES[phase] as keyof Timings] = duration(reader);
  }
  return timings;
}

function duration(reader: ByteReader): number {
  const ms = reader.varint() / 10;
  if (ms > 3_600_000) throw new RangeError('a duration is over an hour');
  return ms;
}

/** A sum out of range may have lost precision, so no further arithmetic is done with it. */
function checkedSeq(seq: number): number {
  if (seq < 1 || seq > MAX_SEQ) throw new RangeError('a seq is out of range');
  return seq;
}

function instant(ms: number): number {
  if (ms < 0 || ms > LATEST_INSTANT_MS) throw new RangeError('an instant is out of range');
  return ms;
}

function positive(value: number): number {
  if (value < 1) throw new RangeError('a count starts at 1');
  return value;
}

function valueAt<T>(list: readonly T[], index: number): T {
  const value = list[index];
  if (value === undefined) throw new RangeError('an unknown kind');
  return value;
}

/** Rejects a batch with missing, duplicate or unordered seqs: a lane has no unexplained gaps. */
function assertContiguous(batch: ResultBatch): ResultBatch {
  let next = batch.first;
  let range = 0;
  let row = 0;
  while (next <= batch.last) {
    const dropped = batch.dropped[range];
    if (dropped?.first === next && dropped.last >= next) {
      next = dropped.last + 1;
      range += 1;
    } else if (batch.results[row]?.seq === next) {
      next += 1;
      row += 1;
    } else {
      throw new RangeError(`seq ${next} is missing`);
    }
  }
  if (next !== batch.last + 1 || row !== batch.results.length || range !== batch.dropped.length) {
    throw new RangeError('seqs are out of order');
  }
  return batch;
}

/** Maximum length of a lane range in one batch. */
const MAX_RANGE_LENGTH = 1000;

const laneHeader = z.object({
  epoch: z.string().regex(EPOCH),
  results: z.array(z.looseObject({ seq: z.int().min(1).max(MAX_SEQ) })).min(1).max(MAX_RANGE_LENGTH),
});

/**
 * Reads the lane range of a batch that `decodeBatch` rejects, so that the range can be dead-lettered and the
 * lane continues. Null if not even that is readable.
 */
export function readLaneHeader(bytes: Uint8Array): Pick<ResultBatch, 'epoch' | 'first' | 'last'> | null {
  try {
    return bytes[0] === JSON_FORMAT ? readJsonHeader(bytes) : readPackedHeader(bytes);
  } catch {
    return null;
  }
}

function readPackedHeader(bytes: Uint8Array): Pick<ResultBatch, 'epoch' | 'first' | 'last'> | null {
  const reader = new ByteReader(bytes);
  if (reader.u8() !== PACKED_FORMAT) return null;
  const epoch = reader.text();
  reader.text();
  const first = checkedSeq(reader.varint());
  const last = checkedSeq(first + reader.varint());
  return EPOCH.test(epoch) && last - first < MAX_RANGE_LENGTH ? { epoch, first, last } : null;
}

function readJsonHeader(bytes: Uint8Array): Pick<ResultBatch, 'epoch' | 'first' | 'last'> | null {
  const { epoch, results } = laneHeader.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  const seqs = results.map((result) => result.seq);
  const first = Math.min(...seqs);
  const last = Math.max(...seqs);
  return last - first < MAX_RANGE_LENGTH ? { epoch, first, last } : null;
}
