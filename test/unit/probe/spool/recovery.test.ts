import fc from 'fast-check';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { HEADER_BYTES, scanFrames, type FrameAt } from '../../../../probe/spool/frame.ts';
import type { Lane } from '../../../../probe/spool/lane.ts';
import type { Spool } from '../../../../probe/spool/spool.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';
import { until } from '../../../helpers/until.ts';
import { buildResult, Directories, monitorsOf, openSpool, readLane } from './open-spool.ts';

const directories = new Directories();
afterEach(() => directories.remove());

const monitors = [3, 4, 5].flatMap((shard) => monitorsOf(shard, 2));

/** A closed spool with some flushes of several lanes in one segment, and its file. */
async function writtenSpool(count = 6): Promise<{ directory: string; file: string; epoch: string }> {
  const directory = directories.make();
  const spool = await openSpool(directory, { coverage: () => ({ until: 1000, open: [] }) });
  const { epoch } = spool;
  for (let round = 0; round < count; round += 1) {
    for (const monitor of monitors) {
      spool.append(buildResult(monitor, { scheduled_at: 1_760_000_000_000 + round }), true);
    }
    await spool.flush();
  }
  await spool.close();
  return { directory, epoch, file: join(directory, readdirSync(directory)[0] as string) };
}

/** The fate of each number of a lane; fails if one is missing. */
async function fateOf(spool: Spool, lane: Lane): Promise<('kept' | 'dropped')[]> {
  const fate: ('kept' | 'dropped')[] = [];
  for (const batch of await readLane(spool, lane)) {
    for (let seq = batch.first; seq <= batch.last; seq += 1) {
      if (seq !== fate.length + 1) throw new Error(`seq ${seq} after ${fate.length}`);
      fate.push(batch.results.some((result) => result.seq === seq) ? 'kept' : 'dropped');
    }
    expect(batch.dropped.every((range) => range.reason === 'corrupt')).toBe(true);
  }
  return fate;
}

async function fates(directory: string, epoch: string): Promise<Map<number, ('kept' | 'dropped')[]>> {
  const spool = await openSpool(directory);
  const found = new Map<number, ('kept' | 'dropped')[]>();
  for (const lane of spool.lanes()) {
    if (lane.epoch === epoch) found.set(lane.shard, await fateOf(spool, lane));
  }
  await spool.close();
  return found;
}

function framesOf(file: string): FrameAt[] {
  const frames: FrameAt[] = [];
  scanFrames(readFileSync(file), (frame) => frames.push(frame));
  return frames;
}

describe('a damaged spool', () => {
  test.each([
    ['it', ({ offset, length }: FrameAt) => offset + length - 1],
    ['its header', ({ offset }: FrameAt) => offset - HEADER_BYTES + 30],
  ])('declares the last batch dropped after a flipped byte in %s, and keeps everything else', async (
    _where, placeIn,
  ) => {
    const { directory, file, epoch } = await writtenSpool();
    const last = framesOf(file).filter((frame) => frame.kind === 1).pop() as FrameAt;
    const bytes = readFileSync(file);
    const at = placeIn(last);
    bytes[at] = (bytes[at] as number) ^ 0x10;
    writeFileSync(file, bytes);
    const found = await fates(directory, epoch);
    for (const [shard, fate] of found) {
      expect(fate.filter((each) => each === 'dropped')).toHaveLength(shard === last.shard ? 2 : 0);
    }
    expect([...found.values()].every((fate) => fate.length === 12)).toBe(true);
  });

  test('keeps complete batches before a truncated tail, and declares the tail as lost if its header survives', async () => {
    const { directory, file, epoch } = await writtenSpool();
    const last = framesOf(file).filter((frame) => frame.kind === 1).pop() as FrameAt;
    const whole = readFileSync(file);
    writeFileSync(file, whole.subarray(0, last.offset - HEADER_BYTES + 7));
    expect((await fates(directory, epoch)).get(last.shard)).toHaveLength(10);
    writeFileSync(file, whole.subarray(0, last.offset + 5));
    expect((await fates(directory, epoch)).get(last.shard)).toEqual(
      [...Array.from({ length: 10 }, () => 'kept'), 'dropped', 'dropped'],
    );
  });

  test('starts after any damage, keeps every intact frame, and accounts for every number', async () => {
    const { directory, file, epoch } = await writtenSpool();
    const whole = readFileSync(file);
    const frames = framesOf(file);
    await fc.assert(
      fc.asyncProperty(fc.array(
        fc.nat(whole.length - 1), { maxLength: 4 },
      ), fc.option(fc.nat(whole.length)), async (flips, cut) => {
        const bytes = Buffer.from(whole);
        for (const at of flips) bytes[at] = (bytes[at] as number) ^ 0xff;
        const copy = directories.make();
        cpSync(directory, copy, { recursive: true });
        writeFileSync(join(copy, readdirSync(copy)[0] as string), bytes.subarray(0, cut ?? bytes.length));
        const found = await fates(copy, epoch);
        for (const frame of frames) {
          const isWhole = frame.offset + frame.length <= (cut ?? bytes.length)
            && flips.every((at) => at < frame.offset - HEADER_BYTES || at >= frame.offset + frame.length ||
              flips.filter((flip) => flip === at).length % 2 === 0);
          if (frame.kind !== 1 || !isWhole) continue;
          expect(found.get(frame.shard)?.slice(frame.first - 1, frame.last)).toEqual(
            Array.from({ length: frame.last - frame.first + 1 }, () => 'kept'),
          );
        }
      }),
      { numRuns: 40 },
    );
  });

  test('starts empty if its files contain only garbage', async () => {
    const directory = directories.make();
    writeFileSync(join(directory, '0000000001.log'), Buffer.alloc(10_000, 0x46));
    writeFileSync(join(directory, '0000000002.log'), '');
    const spool = await openSpool(directory);
    expect(spool.depth).toBe(0);
    spool.append(buildResult(monitors[0] as string), false);
    await spool.flush();
    expect(spool.depth).toBe(1);
    await spool.close();
  });
});

describe('coverage', () => {
  test('is the last mark plus what was recorded after it', async () => {
    const directory = directories.make();
    let covered = 1000;
    const clock = new SimulatedClock();
    const spool =
      await openSpool(directory, { clock, coverage: () => ({ until: covered, open: [['m', 900]] }) });
    const [monitor] = monitors as [string];
    spool.append(buildResult(monitor, { scheduled_at: 800 }), false);
    await spool.flush();
    covered = 2000;
    spool.append(buildResult(monitor, { scheduled_at: 1500 }), true);
    const lane = spool.lanes().find((each) => each.shard === 3) as Lane;
    await clock.advance(10);
    await until(() => lane.synced === 2);
    spool.append(buildResult(monitor, { scheduled_at: 1600, reason: 'manual' }), true);
    await clock.advance(10);
    await until(() => lane.synced === 3);
    const copy = directories.make();
    cpSync(directory, copy, { recursive: true });
    await spool.close();
    const again = await openSpool(copy);
    expect(again.recovered.coverage).toEqual({ until: 1000, open: [['m', 900]] });
    expect([...again.recovered.recorded]).toEqual([[monitor, [{ atMs: 1500, count: 1 }]]]);
    await again.close();
  });
});
