import { beforeEach, expect, test } from 'vitest';
import type { Lease } from '../../../controller/results/shards/lease-rules.ts';
import { Leases, type LeaseDeps } from '../../../controller/results/shards/leases.ts';
import { Company } from '../../../shared/company.ts';
import { createLog } from '../../../shared/log.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const ROUND_MS = 3000;
const all = Array.from({ length: 16 }, (_, shard) => shard);

let clock: SimulatedClock;
let leases: Leases;
let stored: Lease[];
let alive: number;
let isDown: boolean;
let company: Company;
let asked: number[];
let commands: string[];

beforeEach(() => {
  clock = new SimulatedClock();
  [stored, alive, isDown] = [[], 1, false];
  [company, asked, commands] = [new Company(), [], []];
  let isShown = false;
  const unlessDown = async (command: string) => {
    commands.push(command);
    if (isDown) throw new Error('the database does not answer');
  };
  const store: LeaseDeps['store'] = {
    leave: () => unlessDown('leave'),
    show: async () => {
      await unlessDown('show');
      isShown = true;
    },
    look: async () => {
      await unlessDown('look');
      return { leases: stored, alive };
    },
    acquire: async (shard, holder, now, expires_at) => {
      if (stored.some((one) => one.shard === shard && one.holder !== holder && one.expires_at >= now)) return false;
      stored = [...stored.filter((one) => one.shard !== shard), { shard, holder, expires_at }];
      return true;
    },
    renew: async (shards, holder, expires_at) => {
      await unlessDown('renew');
      stored = stored.map((one) =>
        (one.holder === holder && shards.includes(one.shard) ? { ...one, expires_at } : one));
      return isShown && shards.every((shard) => stored.some((one) => one.shard === shard && one.holder === holder));
    },
    release: async (shards) => {
      stored = stored.filter(({ shard }) => !shards.includes(shard));
    },
  };
  leases = new Leases({
    clock, log: createLog('test', 'silent'), store, holder: 'a',
    acquired: () => undefined, released: async () => undefined, company,
    ask: (shards) => void asked.push(...shards),
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

test('a controller that is alone renews with one command, and looks for others every third time', async () => {
  leases.start();
  await clock.advance(1);
  expect(company.isAlone).toBe(true);
  commands = [];
  await clock.advance(6 * ROUND_MS);
  expect(commands).toEqual(['renew', 'renew', 'renew', 'look', 'renew', 'renew', 'renew', 'look']);
});

test('one that is not alone looks at each renewal', async () => {
  alive = 2;
  leases.start();
  await clock.advance(1);
  commands = [];
  await clock.advance(2 * ROUND_MS);
  expect(commands).toEqual(['renew', 'look', 'renew', 'look']);
});

test('one that joins asks those who have its share', async () => {
  [stored, alive] = [heldByB(all), 2];
  leases.start();
  await clock.advance(1);
  expect(asked).toEqual(all);
});

test('a controller that was alone releases shards as soon as it is asked', async () => {
  leases.start();
  await clock.advance(1);
  let arrivals = 0;
  company.onArrival(() => (arrivals += 1));
  alive = 2;
  leases.asked();
  await clock.advance(1);
  expect([leases.held.size, company.isAlone, arrivals]).toEqual([8, false, 1]);
});

test('a shard that another controller has taken is lost at the next renewal, also when alone', async () => {
  leases.start();
  await clock.advance(1);
  stored = stored.map((one) => (one.shard === 3 ? { ...one, holder: 'b', expires_at: Number.MAX_SAFE_INTEGER } : one));
  await clock.advance(ROUND_MS);
  expect(leases.holds(3)).toBe(false);
});

test('a controller that cannot renew its leases does not count as alone', async () => {
  leases.start();
  await clock.advance(1);
  isDown = true;
  await clock.advance(ROUND_MS);
  expect(company.isAlone).toBe(false);
});
