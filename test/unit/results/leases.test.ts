import { beforeEach, expect, test } from 'vitest';
import type { Lease } from '../../../controller/results/shards/lease-rules.ts';
import { Leases, type LeaseDeps } from '../../../controller/results/shards/leases.ts';
import { createLog } from '../../../shared/log.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const ROUND_MS = 3000;
const all = Array.from({ length: 16 }, (_, shard) => shard);

let clock: SimulatedClock;
let leases: Leases;
let stored: Lease[];
let alive: number;
let isDown: boolean;

beforeEach(() => {
  clock = new SimulatedClock();
  [stored, alive, isDown] = [[], 1, false];
  const unlessDown = async () => {
    if (isDown) throw new Error('the database does not answer');
  };
  const store: LeaseDeps['store'] = {
    show: unlessDown, leave: unlessDown,
    look: async () => ({ leases: stored, alive }),
    acquire: async (shard, holder, now, expires_at) => {
      if (stored.some((one) => one.shard === shard && one.holder !== holder && one.expires_at >= now)) return false;
      stored = [...stored.filter((one) => one.shard !== shard), { shard, holder, expires_at }];
      return true;
    },
    renew: async (shards, holder, expires_at) => {
      await unlessDown();
      stored = stored.map((one) =>
        (one.holder === holder && shards.includes(one.shard) ? { ...one, expires_at } : one));
    },
    release: async (shards) => {
      stored = stored.filter(({ shard }) => !shards.includes(shard));
    },
  };
  leases = new Leases({
    clock, log: createLog('test', 'silent'), store, holder: 'a',
    acquired: () => undefined, released: async () => undefined,
  });
});

const heldByB = (shards: number[]): Lease[] =>
  shards.map((shard) => ({ shard, holder: 'b', expires_at: Number.MAX_SAFE_INTEGER }));

test('a lone controller has its share after its first round', async () => {
  expect(leases.hasHadShare).toBe(false);
  leases.start();
  await clock.advance(1);
  expect([leases.hasHadShare, leases.held.size]).toEqual([true, 16]);
});

test('a controller that joins has its share once the others have released it', async () => {
  [stored, alive] = [heldByB(all), 2];
  leases.start();
  await clock.advance(1);
  expect([leases.hasHadShare, leases.held.size]).toEqual([false, 0]);
  stored = heldByB(all.slice(8));
  await clock.advance(ROUND_MS);
  expect([leases.hasHadShare, leases.held.size]).toEqual([true, 8]);
});

test('a takeover later on does not make a controller wait for its share again', async () => {
  [stored, alive] = [heldByB(all.slice(8)), 2];
  leases.start();
  await clock.advance(1);
  // A third one has joined and still has to release something.
  [stored, alive] = [[...stored.filter((one) => one.holder === 'a').slice(2), ...heldByB(all.slice(6))], 2];
  await clock.advance(ROUND_MS);
  expect(leases.hasHadShare).toBe(true);
});

test('leases that could not be renewed for ten seconds may have been taken over', async () => {
  leases.start();
  await clock.advance(1);
  expect(leases.areCurrent).toBe(true);
  isDown = true;
  await clock.advance(9000);
  expect(leases.areCurrent).toBe(true);
  await clock.advance(1000);
  expect([leases.areCurrent, leases.held.size]).toEqual([false, 16]);
  isDown = false;
  await clock.advance(ROUND_MS);
  expect(leases.areCurrent).toBe(true);
});
