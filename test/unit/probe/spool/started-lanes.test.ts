import { afterEach, describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { StartedLanes, type NotedLane } from '../../../../probe/spool/started-lanes.ts';
import { Lane } from '../../../../probe/spool/lane.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';
import { buildResult, Directories, monitorsOf, openSpool } from './open-spool.ts';
import { shardMap } from '../../../helpers/shard-map.ts';
import { fewOrAll } from '../../../helpers/few-or-all.ts';

const SHARD = 3;
/** Number of other lanes that may move while one is unacknowledged. */
const OTHERS = 48;

/** What outlives the runs of a probe: each epoch's numbers on disk and at the controller. */
interface StoredLane {
  epoch: string;
  synced: number;
  watermark: number;
}

/** The runs of one probe with one shard; a controller's responses arrive when `exchange` is called. */
class Lives {
  readonly stored: StoredLane[] = [];
  /** The order in which lanes last moved at the controller. */
  readonly moved: string[] = [];
  readonly journaled = new Map<string, number>();
  #noted: NotedLane[] = [];
  #started = new StartedLanes([], [], shardMap);
  #lanes: Lane[] = [];
  #count = 0;

  start(): void {
    this.#lanes = this.stored.filter(({ synced, watermark }) => synced > watermark).map((stored) => {
      const lane = new Lane(stored.epoch, SHARD);
      Object.assign(lane, { synced: stored.synced, watermark: stored.watermark, next: stored.synced + 1 });
      return lane;
    });
    this.#started = new StartedLanes([...this.#lanes], this.#noted, shardMap);
    const fresh = new Lane(`epoch ${(this.#count += 1)}`, SHARD);
    this.stored.push({ epoch: fresh.epoch, synced: 0, watermark: 0 });
    this.#lanes.push(fresh);
    this.#started.openEpoch([fresh]);
  }

  find(): void {
    const fresh = this.#lanes.at(-1) as Lane;
    fresh.synced = fresh.next;
    fresh.next += 1;
    this.#storedOf(fresh).synced = fresh.synced;
  }

  flush(): void {
    const note = this.#started.note();
    for (const lane of this.#lanes) this.#storedOf(lane).watermark = lane.watermark;
    this.#noted = note.noted;
    this.#started.written(note);
  }

  /** Delivers everything that may be sent; acknowledges the lanes at these places. */
  exchange(hasResponse: (place: number) => boolean): void {
    this.#started.lanes().forEach((lane, place) => {
      lane.sent = lane.synced;
      if (lane.synced > (this.journaled.get(lane.epoch) ?? 0)) {
        this.journaled.set(lane.epoch, lane.synced);
        this.moved.push(lane.epoch);
      }
      if (!hasResponse(place)) return;
      lane.watermark = lane.synced;
      this.#started.onResponse(lane);
    });
  }

  get isDrained(): boolean {
    return this.#lanes.every((lane) => lane.watermark === lane.synced);
  }

  /** Maximum number of other lanes that have moved since one whose journaled numbers aren't acknowledged on disk. */
  get maxSince(): number {
    const doubtful = this.stored.filter(({ epoch, watermark }) => (this.journaled.get(epoch) ?? 0) > watermark);
    return Math.max(0, ...doubtful.map(
      ({ epoch }) => new Set(this.moved.slice(this.moved.lastIndexOf(epoch) + 1)).size,
    ));
  }

  #storedOf(lane: Lane): StoredLane {
    return this.stored.find(({ epoch }) => epoch === lane.epoch) as StoredLane;
  }
}

describe('started lanes', () => {
  test('never let more than 48 others move while one is unacknowledged, whenever the probe dies', () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.constant('life' as const) },
      { weight: 2, arbitrary: fc.constant('answers' as const) },
      { weight: 2, arbitrary: fc.constant('some answers' as const) },
      { weight: 1, arbitrary: fc.constant('unsent' as const) },
    );
    fc.assert(fc.property(fc.array(fc.tuple(step, fc.integer({ min: 1, max: 60 })), { maxLength: 12 }), (steps) => {
      const lives = new Lives();
      for (const [kind, count] of steps) {
        for (let at = 0; at < count; at += 1) {
          lives.start();
          lives.find();
          if (kind === 'unsent') continue;
          for (let second = 0; second < 3; second += 1) {
            lives.flush();
            lives.exchange((place) => kind === 'answers' || (kind === 'some answers' && (place + at) % 3 > 0));
            expect(lives.maxSince).toBeLessThanOrEqual(OTHERS);
          }
        }
      }
      lives.start();
      for (let second = 0; second < 200 && !lives.isDrained; second += 1) {
        lives.flush();
        lives.exchange(() => true);
        expect(lives.maxSince).toBeLessThanOrEqual(OTHERS);
      }
      expect(lives.isDrained).toBe(true);
    }), { numRuns: fewOrAll(8, 20) });
  });

});

describe('the spool', () => {
  const directories = new Directories();
  afterEach(() => directories.remove());
  const [one = '', elsewhere = ''] = [...monitorsOf(SHARD, 1), ...monitorsOf(4, 1)];

  test('sends a lane once it is recorded as started, and after a restart started lanes before the rest', async () => {
    const directory = directories.make();
    const first = await openSpool(directory);
    first.append(buildResult(one), true);
    expect(first.sendable()).toEqual([]);
    await first.flush();
    expect(first.sendable().map(({ shard }) => shard)).toEqual([SHARD]);
    await first.close();

    const clock = new SimulatedClock();
    const second = await openSpool(directory, { clock });
    const [doubtful] = second.sendable();
    expect(second.sendable()).toHaveLength(1);
    expect(doubtful).toMatchObject({ epoch: first.epoch, shard: SHARD, isInDoubt: true });
    second.append(buildResult(one), true);
    second.append(buildResult(elsewhere), true);
    await second.flush();
    expect(second.sendable()).toHaveLength(3);
    await second.close();

    const third = await openSpool(directory);
    expect(third.sendable().map(({ epoch, shard }) => [epoch, shard])).toEqual([
      [first.epoch, SHARD], [second.epoch, SHARD], [second.epoch, 4],
    ]);
    for (const lane of third.sendable()) third.trim(lane, 1);
    await third.flush();
    await third.close();
    const last = await openSpool(directory);
    expect([last.sendable(), last.depth]).toEqual([[], 0]);
    await last.close();
  });

  test('starts no more than 32 unacknowledged lanes, and continues after acknowledgements', async () => {
    const directory = directories.make();
    for (let life = 0; life < 40; life += 1) {
      const spool = await openSpool(directory);
      spool.append(buildResult(one), true);
      await spool.close();
    }
    const spool = await openSpool(directory);
    spool.append(buildResult(one), true);
    await spool.flush();
    const inDoubt = spool.sendable();
    expect(inDoubt).toHaveLength(32);
    expect(inDoubt.every((lane) => lane.isInDoubt && !spool.isFresh(lane))).toBe(true);
    for (const lane of inDoubt.slice(1)) spool.trim(lane, 1);
    await spool.flush();
    expect(spool.sendable()).toEqual(inDoubt.slice(0, 1));
    for (const lane of inDoubt) spool.trim(lane, 1);
    await spool.flush();
    // The fresh lane, and the eight that were never started.
    expect(spool.sendable().filter((lane) => spool.isFresh(lane))).toHaveLength(1);
    expect(spool.sendable()).toHaveLength(9);
    await spool.close();
  });

  test('sends what it has if the disk accepts no more writes', async () => {
    const directory = directories.make();
    const first = await openSpool(directory);
    first.append(buildResult(one), true);
    await first.close();
    const full = await openSpool(directory, { limits: { maxBytes: 10 } });
    full.append(buildResult(elsewhere), true);
    await full.flush();
    expect(full.sendable().map(({ shard }) => shard)).toEqual([SHARD, 4]);
    await full.close();
  });
});
