import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeBatch } from '../../shared/contracts/result-pack.ts';
import type { SlotRun } from '../scheduler/slots.ts';
import { FRAME_BATCH, FRAME_MARK, scanFrames, type FrameAt } from './frame.ts';
import { Lane } from './lane.ts';
import type { NotedLane } from './started-lanes.ts';
import { decodeMark, type Coverage } from './mark.ts';
import { Segment } from './segment.ts';

/** Contents of a spool's directory. */
export interface Recovered {
  segments: Segment[];
  /** By `laneKey`. */
  lanes: Map<string, Lane>;
  /** The last mark's coverage; null if there is none. */
  coverage: Coverage | null;
  /** By monitor: slots with a result after that mark, in the order of the log. */
  recorded: Map<string, SlotRun[]>;
  /** Started lanes in the last mark; empty if there is no mark. */
  started: NotedLane[];
  damagedFrames: number;
}

export function laneKey(epoch: string, shard: number): string {
  return `${epoch}/${shard}`;
}

export function segmentPath(directory: string, id: number): string {
  return join(directory, `${String(id).padStart(10, '0')}.log`);
}

/**
 * Reads the whole log. A corrupt frame loses only itself. `Spool.read` detects the missing numbers, including
 * those of a corrupt last frame if its header or a later mark names them.
 */
export async function recoverSpool(directory: string): Promise<Recovered> {
  const recovered: Recovered = {
    segments: [], lanes: new Map(), coverage: null, recorded: new Map(), started: [],
    damagedFrames: 0,
  };
  const afterMark: Buffer[] = [];
  for (const id of await segmentIds(directory)) {
    const segment = new Segment(id, segmentPath(directory, id));
    const bytes = await readFile(segment.path);
    segment.size = bytes.length;
    recovered.segments.push(segment);
    scanFrames(bytes, (frame) => takeFrame(recovered, afterMark, segment, frame, bytes));
  }
  for (const payload of afterMark) takeSlots(recovered.recorded, payload);
  return recovered;
}

async function segmentIds(directory: string): Promise<number[]> {
  const names = await readdir(directory);
  return names.filter((name) => /^\d{10}\.log$/.test(name)).map((name) => Number(name.slice(0, 10))).sort(
    (a, b) => a - b,
  );
}

function takeFrame(
  recovered: Recovered, afterMark: Buffer[], segment: Segment, frame: FrameAt, bytes: Buffer,
): void {
  if (!frame.isIntact) recovered.damagedFrames += 1;
  const payload = bytes.subarray(frame.offset, frame.offset + frame.length);
  if (frame.kind === FRAME_MARK && frame.isIntact) takeMark(recovered, afterMark, payload);
  if (frame.kind !== FRAME_BATCH) return;
  const lane = laneOf(recovered, frame.epoch, frame.shard);
  // Left over from a failed write: the previous frame declared its numbers as dropped.
  if (frame.first <= lane.synced) return;
  growTo(lane, frame.last);
  const { first, last, count, offset, length, isIntact } = frame;
  segment.add(lane, { first, last, count, offset, length, isIntact, bytes: null });
  if (frame.isIntact) afterMark.push(Buffer.from(payload));
}

function growTo(lane: Lane, last: number): void {
  lane.synced = Math.max(lane.synced, last);
  lane.next = lane.synced + 1;
}

function laneOf(recovered: Recovered, epoch: string, shard: number): Lane {
  const key = laneKey(epoch, shard);
  const existing = recovered.lanes.get(key);
  if (existing) return existing;
  const lane = new Lane(epoch, shard);
  recovered.lanes.set(key, lane);
  return lane;
}

function takeMark(recovered: Recovered, afterMark: Buffer[], payload: Buffer): void {
  const mark = decodeMark(payload);
  if (!mark) return;
  if (mark.coverage) {
    recovered.coverage = mark.coverage;
    afterMark.length = 0;
  }
  recovered.started = mark.started;
  for (const [epoch, shard, watermark] of mark.trims) {
    const lane = laneOf(recovered, epoch, shard);
    lane.watermark = Math.max(lane.watermark, watermark);
  }
  for (const [epoch, shard, end] of mark.ends) growTo(laneOf(recovered, epoch, shard), end);
}

function takeSlots(recorded: Map<string, SlotRun[]>, payload: Buffer): void {
  try {
    for (const result of decodeBatch(payload).results) {
      if (result.attempt !== 1 || result.reason !== 'schedule') continue;
      const runs = recorded.get(result.monitor_id) ?? [];
      runs.push({ atMs: result.scheduled_at, count: result.missed?.count ?? 1 });
      recorded.set(result.monitor_id, runs);
    }
  } catch {
    // The checksum is valid but the content unreadable: written by another version. It is sent unchanged.
  }
}
