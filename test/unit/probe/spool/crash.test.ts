import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Lane } from '../../../../probe/spool/lane.ts';
import { bundleFile } from '../../../bundle.mjs';
import { fewOrAll } from '../../../helpers/few-or-all.ts';
import { passTime } from '../../../helpers/pass-time.ts';
import { until } from '../../../helpers/until.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';
import { buildResult, Directories, monitorsOf, openSpool, readLane } from './open-spool.ts';

const LIVES = fewOrAll(3, 10);

const directories = new Directories();
let bundle = '';

beforeAll(async () => {
  bundle = await bundleFile('test/unit/probe/spool/append-forever.ts');
});
afterAll(() => rmSync(bundle, { force: true }));
afterEach(() => directories.remove());

/** What a killed writer had reported as durable, by lane. */
async function writeAndKill(
  directory: string, monitors: string[], lifeMs: number,
): Promise<Map<string, number>> {
  const child =
    spawn(process.execPath, [bundle, directory, ...monitors], { stdio: ['ignore', 'pipe', 'inherit'] });
  const safe = new Map<string, number>();
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const syncs = () => text.split('\n').slice(0, -1).flatMap(
    (line) => JSON.parse(line) as [epoch: string, shard: number, synced: number][],
  );
  await until(
    () => new Set(syncs().map(([, shard]) => shard)).size === 3, { what: 'something is safe in every lane' },
  );
  await passTime(lifeMs);
  const closed = new Promise((done) => child.once('close', done));
  child.kill('SIGKILL');
  await closed;
  for (const [epoch, shard, synced] of syncs()) safe.set(`${epoch}/${shard}`, synced);
  return safe;
}

describe('a spool whose process is killed', () => {
  test('keeps every result it had confirmed, from each of its runs, without a gap', async () => {
    const directory = directories.make();
    const monitors = [2, 9, 14].flatMap((shard) => monitorsOf(shard, 3));
    const safe = new Map<string, number>();
    for (let life = 0; life < LIVES; life += 1) {
      for (const [lane, synced] of await writeAndKill(directory, monitors, 50 + Math.random() * 150)) {
        safe.set(lane, synced);
      }
    }
    const spool = await openSpool(directory);
    const lanes = new Map(spool.lanes().map((lane): [string, Lane] => [`${lane.epoch}/${lane.shard}`, lane]));
    expect(safe.size).toBe(3 * LIVES);
    for (const [key, synced] of safe) {
      const lane = lanes.get(key);
      if (!lane) throw new Error(`${key} is gone`);
      expect(lane.synced).toBeGreaterThanOrEqual(synced);
      let next = lane.watermark + 1;
      for (const batch of await readLane(spool, lane)) {
        // A frame truncated by the kill was never confirmed.
        const lost = batch.dropped.filter(({ first }) => first <= synced);
        expect({ first: batch.first <= next, lost }).toEqual({ first: true, lost: [] });
        next = batch.last + 1;
      }
      expect(next).toBeGreaterThan(synced);
    }
    await spool.close();
  });
});

const canMount = process.getuid?.() === 0 && spawnSync(
  'sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs -o size=64k none $d && umount $d'],
).status === 0;

describe.skipIf(!canMount)('a spool on a full disk', () => {
  test('keeps the oldest results, declares refused ones, and continues when there is room', async () => {
    const directory = directories.make();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'none', directory]);
    try {
      const clock = new SimulatedClock();
      const spool = await openSpool(
        join(directory, 'spool'),
        { clock, limits: { segmentBytes: 32_768 }, coverage: () => ({ until: clock.now(), open: [] }) },
      );
      const [monitor] = monitorsOf(3, 1) as [string];
      const lane = spool.lanes().find((each) => each.shard === 3) as Lane;
      for (let round = 0; round < 300; round += 1) {
        for (let at = 0; at < 50; at += 1) spool.append(buildResult(monitor), false);
        await spool.flush();
      }
      expect(spool.refusedCount).toBeGreaterThan(1000);
      const synced = lane.synced;
      expect(synced).toBe(15_000 - spool.refusedCount);
      expect((await readLane(spool, lane)).flatMap((batch) => batch.results)).toHaveLength(synced);
      spool.trim(lane, synced);
      await clock.advance(1001);
      await spool.flush();
      spool.append(buildResult(monitor), true);
      await spool.flush();
      const after = await readLane(spool, lane);
      expect(after.flatMap((batch) => batch.dropped)).toEqual([
        { first: synced + 1, last: 15_000, reason: 'spool_full' },
      ]);
      expect(after.flatMap((batch) => batch.results.map((result) => result.seq))).toEqual([15_001]);
      await spool.close();
    } finally {
      execFileSync('umount', [directory]);
    }
  });
});
