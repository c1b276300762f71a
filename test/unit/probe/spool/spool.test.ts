import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import type { Lane } from '../../../../probe/spool/lane.ts';
import { MAX_BATCH_BYTES, MAX_BATCH_RESULTS } from '../../../../shared/contracts/result.ts';
import { shardMap } from '../../../helpers/shard-map.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';
import { until } from '../../../helpers/until.ts';
import { buildResult, Directories, monitorsOf, openSpool, readAll, readLane } from './open-spool.ts';

const directories = new Directories();
afterEach(() => directories.remove());

const [one, two] = monitorsOf(3, 2) as [string, string];
const [other] = monitorsOf(4, 1) as [string];

function laneOf(lanes: Lane[], shard: number): Lane {
  return lanes.find((lane) => lane.shard === shard) as Lane;
}

describe('the spool', () => {
  test('numbers results by lane and returns them unchanged', async () => {
    const spool = await openSpool(directories.make());
    const first = buildResult(one);
    spool.append(first, false);
    spool.append(buildResult(other, {
      outcome: 'failure', status_code: 503, error: { type: 'status_code', message: 'Expected 200, got 503' },
    }), false);
    spool.append(buildResult(two), false);
    await spool.flush();
    const lane = laneOf(spool.lanes(), 3);
    const [batch] = await readLane(spool, lane);
    expect(batch).toMatchObject({ epoch: spool.epoch, engine: '1.2.3', first: 1, last: 2, dropped: [] });
    expect(batch?.results).toEqual([{ ...first, seq: 1 }, { ...buildResult(two), seq: 2 }]);
    expect((await readLane(spool, laneOf(spool.lanes(), 4)))[0]?.results).toMatchObject([
      { seq: 1, outcome: 'failure' },
    ]);
    expect(spool.depth).toBe(3);
    await spool.close();
  });

  test('releases a result for sending only after its flush', async () => {
    const synced: number[] = [];
    const spool = await openSpool(
      directories.make(), { onSynced: (lanes) => synced.push(...lanes.map((lane) => lane.shard)) },
    );
    const lane = laneOf(spool.lanes(), 3);
    spool.append(buildResult(one), false);
    expect(lane.synced).toBe(0);
    expect(await spool.read(lane, 1)).toBeNull();
    await spool.flush();
    expect({ synced, upTo: lane.synced }).toEqual({ synced: [3], upTo: 1 });
    await spool.close();
  });

  test('delays successes by up to a second to batch them, but not the lane of an urgent result', async () => {
    const clock = new SimulatedClock();
    const spool = await openSpool(directories.make(), { clock });
    const [lane, quiet] = [laneOf(spool.lanes(), 3), laneOf(spool.lanes(), 4)];
    spool.append(buildResult(one), false);
    await spool.flush();
    spool.append(buildResult(one), false);
    spool.append(buildResult(other), false);
    await clock.advance(900);
    expect([lane.synced, quiet.synced]).toEqual([1, 0]);
    spool.append(buildResult(two, { outcome: 'failure' }), true);
    await until(() => lane.synced === 3);
    expect(quiet.synced).toBe(0);
    await clock.advance(101);
    await until(() => quiet.synced === 1);
    await spool.close();
  });

  test('flushes a full batch immediately, and keeps batches within the wire limits', async () => {
    const spool = await openSpool(directories.make());
    const lane = laneOf(spool.lanes(), 3);
    for (let at = 0; at < MAX_BATCH_RESULTS; at += 1) spool.append(buildResult(one), false);
    await until(() => lane.synced === MAX_BATCH_RESULTS);
    const long = { type: 'timeout' as const, message: 'x'.repeat(900) };
    for (let at = 0; at < 250; at += 1) {
      spool.append(buildResult(two, { outcome: 'failure', error: long }), false);
    }
    await spool.flush();
    for (let seq = 1; seq <= lane.synced; ) {
      const packed = await spool.read(lane, seq);
      expect(packed?.bytes.length).toBeLessThanOrEqual(MAX_BATCH_BYTES);
      expect(packed?.count).toBeLessThanOrEqual(MAX_BATCH_RESULTS);
      seq = (packed?.last as number) + 1;
    }
    expect(
      (await readLane(spool, lane)).flatMap((batch) => batch.results.map((result) => result.seq)),
    ).toEqual(Array.from({ length: 350 }, (_, at) => at + 1));
    await spool.close();
  });

  test('sends many small batches as few large ones', async () => {
    const spool = await openSpool(directories.make());
    const lane = laneOf(spool.lanes(), 3);
    for (let at = 0; at < 250; at += 1) {
      spool.append(buildResult(one, { scheduled_at: 1_760_000_000_000 + at }), true);
      if (at % 5 === 0) await spool.flush();
    }
    await spool.flush();
    const batches = await readLane(spool, lane);
    expect(batches.length).toBeLessThanOrEqual(4);
    expect(
      batches.flatMap((batch) => batch.results.map((result) => result.scheduled_at - 1_760_000_000_000)),
    ).toEqual(Array.from({ length: 250 }, (_, at) => at));
    await spool.close();
  });

  test('deletes acknowledged results, and returns them as trimmed', async () => {
    const spool = await openSpool(directories.make());
    const lane = laneOf(spool.lanes(), 3);
    for (let at = 0; at < 10; at += 1) spool.append(buildResult(one), false);
    await spool.flush();
    spool.trim(lane, 7);
    spool.trim(lane, 4);
    expect({ watermark: lane.watermark, depth: spool.depth }).toEqual({ watermark: 7, depth: 3 });
    const packed = await spool.read(lane, 5);
    expect(packed).toMatchObject({ first: 5, last: 7, count: 0 });
    const next = await spool.read(lane, 8);
    expect(next?.last).toBe(10);
    spool.trim(lane, 99);
    expect(lane.watermark).toBe(10);
    await spool.close();
  });

  test('opens another epoch after a restart and keeps unacknowledged results', async () => {
    const directory = directories.make();
    const before = await openSpool(directory);
    const { epoch } = before;
    for (let at = 0; at < 10; at += 1) {
      before.append(buildResult(one, { scheduled_at: 1_760_000_000_000 + at }), false);
    }
    await before.flush();
    before.trim(laneOf(before.lanes(), 3), 4);
    await before.close();

    const after = await openSpool(directory);
    expect(after.epoch).not.toBe(epoch);
    const old = after.lanes().find((lane) => lane.epoch === epoch) as Lane;
    expect(old).toMatchObject({ shard: 3, watermark: 4, synced: 10 });
    expect(after.isFresh(old)).toBe(false);
    expect((await readLane(after, old)).flatMap((batch) => batch.results.map((result) => result.seq)).filter(
      (seq) => seq > 4,
    ))
      .toEqual([5, 6, 7, 8, 9, 10]);
    after.append(buildResult(one), false);
    await after.flush();
    expect(
      (await readLane(after, laneOf(after.lanes().filter((lane) => after.isFresh(lane)), 3)))[0],
    ).toMatchObject({ epoch: after.epoch, first: 1 });
    after.trim(old, 10);
    expect(after.lanes().some((lane) => lane.epoch === epoch)).toBe(false);
    await after.close();
  });

  test('deletes acknowledged segments, except for the one with the last mark', async () => {
    const directory = directories.make();
    const spool = await openSpool(
      directory, { limits: { segmentBytes: 2000 }, coverage: () => ({ until: 1, open: [] }) },
    );
    const lane = laneOf(spool.lanes(), 3);
    for (let round = 0; round < 40; round += 1) {
      for (let at = 0; at < 20; at += 1) spool.append(buildResult(one), false);
      await spool.flush();
      if (round < 20) continue;
      spool.trim(lane, lane.synced);
    }
    await spool.flush();
    expect(readdirSync(directory).length).toBeLessThanOrEqual(3);
    expect(spool.bytes).toBe(
      readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0),
    );
    await spool.close();
    const again = await openSpool(directory);
    expect(again.recovered.coverage).toEqual({ until: 1, open: [] });
    expect(again.depth).toBe(0);
    await again.close();
  });

  test('reads a day of backlog from disk, in order, with little memory', async () => {
    const directory = directories.make();
    const spool = await openSpool(directory, { limits: { segmentBytes: 100_000, cacheBytes: 10_000 } });
    const monitors = [one, two, other];
    for (let round = 0; round < 300; round += 1) {
      for (let at = 0; at < 60; at += 1) {
        spool.append(
          buildResult(monitors[at % 3] as string, { scheduled_at: 1_760_000_000_000 + round }), false,
        );
      }
      await spool.flush();
    }
    expect(readdirSync(directory).length).toBeGreaterThan(5);
    const results = (await readAll(spool)).flatMap((batch) => batch.results);
    expect(results).toHaveLength(18_000);
    await spool.close();
  });

  test('reads the backlog of all lanes at once after a restart, without losing a result', async () => {
    const directory = directories.make();
    const limits = { segmentBytes: 2000, cacheBytes: 0 };
    const before = await openSpool(directory, { limits });
    const monitors = shardMap.all.flatMap((shard) => monitorsOf(shard, 1));
    for (let round = 0; round < 200; round += 1) {
      // Each lane gets ahead of the others for a while, so that they are in different segments.
      before.append(buildResult(monitors[(round * 7) % monitors.length] as string), false);
      for (let at = 0; at < 5; at += 1) before.append(buildResult(monitors[round % monitors.length] as string), false);
      await before.flush();
    }
    await before.close();
    const spool = await openSpool(directory, { limits });
    const batches = (await Promise.all(spool.lanes().map((lane) => readLane(spool, lane)))).flat();
    expect(batches.flatMap(({ dropped }) => dropped)).toEqual([]);
    expect(batches.flatMap(({ results }) => results)).toHaveLength(1200);
    await spool.close();
  });

  test('keeps the oldest results when it is full, refuses new ones, and declares these when there is room', async () => {
    const directory = directories.make();
    const clock = new SimulatedClock();
    let refused = 0;
    const spool = await openSpool(directory, {
      clock, limits: { maxBytes: 20_000, segmentBytes: 2000 }, onRefused: (count) => (refused += count),
    });
    const lane = laneOf(spool.lanes(), 3);
    for (let round = 0; round < 60; round += 1) {
      for (let at = 0; at < 20; at += 1) spool.append(buildResult(one), false);
      await spool.flush();
    }
    const synced = lane.synced;
    expect(synced).toBeGreaterThan(100);
    expect(synced).toBeLessThan(1200);
    expect(spool.bytes).toBeLessThanOrEqual(20_000);
    expect([refused, spool.refusedCount]).toEqual([1200 - synced, 1200 - synced]);
    expect((await readLane(spool, lane)).flatMap((batch) => batch.results)).toHaveLength(synced);
    spool.trim(lane, synced);
    await spool.flush();
    await clock.advance(1000);
    spool.append(buildResult(one), false);
    await spool.flush();
    const after = await readLane(spool, lane);
    expect(after.flatMap((batch) => batch.dropped)).toEqual([
      { first: synced + 1, last: 1200, reason: 'spool_full' },
    ]);
    expect(after.flatMap((batch) => batch.results.map((result) => result.seq))).toEqual([1201]);
    await spool.close();
  });

  test('logs once a minute that it stores no more results, and logs the recovery', async () => {
    const clock = new SimulatedClock();
    const lines: { level: number; msg: string; results: number }[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) });
    const spool = await openSpool(directories.make(), { clock, log, limits: { maxBytes: 20_000, segmentBytes: 2000 } });
    for (let second = 0; second < 150; second += 1) {
      for (let at = 0; at < 20; at += 1) spool.append(buildResult(one), false);
      await spool.flush();
      await clock.advance(1000);
    }
    const [first, second] = [lines[0]?.results ?? 0, lines[1]?.results];
    expect([first, second]).toEqual([20, 60 * 20]);
    const lane = laneOf(spool.lanes(), 3);
    spool.trim(lane, lane.synced);
    await spool.flush();
    await clock.advance(10_000);
    spool.append(buildResult(one), false);
    await spool.flush();
    const logged = lines.map(({ level, msg }) => `${level} ${msg}`);
    expect(new Set(logged.slice(0, -1))).toEqual(new Set(['50 results could not be spooled and are dropped']));
    expect(logged.length).toBeLessThanOrEqual(4);
    expect(lines.at(-1)).toMatchObject({ level: 30, msg: 'results are spooled again', results: spool.refusedCount });
    await spool.close();
  });

  test('refuses results beyond its limit by number while the disk fails', async () => {
    const spool = await openSpool(directories.make(), { limits: { maxPending: 50 } });
    const lane = laneOf(spool.lanes(), 3);
    for (let at = 0; at < 80; at += 1) spool.append(buildResult(one), false);
    await spool.flush();
    const [batch] = await readLane(spool, lane);
    expect(batch?.results).toHaveLength(50);
    expect(batch?.dropped).toEqual([{ first: 51, last: 80, reason: 'spool_full' }]);
    await spool.close();
  });

  test('numbers fresh results in a new epoch, and pending ones in their own', async () => {
    const spool = await openSpool(directories.make());
    spool.append(buildResult(one), false);
    const { epoch } = spool;
    spool.openEpoch();
    spool.append(buildResult(one), false);
    await spool.flush();
    const batches = await readAll(spool);
    expect(batches.map((batch) => [batch.epoch, batch.first])).toEqual([[epoch, 1], [spool.epoch, 1]]);
    await spool.close();
  });
});
