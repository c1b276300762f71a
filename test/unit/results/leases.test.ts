import { beforeEach, describe, expect, test } from 'vitest';
import type { Lease } from '../../../controller/results/shards/lease-rules.ts';
import { Leases, type LeaseDeps } from '../../../controller/results/shards/leases.ts';
import { Peers } from '../../../controller/work/peers.ts';
import { createLog } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { shardMap } from '../../helpers/shard-map.ts';

const RENEW_INTERVAL_MS = 1000;
const ONLY_CONTROLLER_INTERVAL_MS = 3000;
const all = Array.from({ length: 16 }, (_, shard) => shard);

/** Shared by all controllers: the collection `leases`, with the semantics of the server. */
let stored: Lease[];
let clock: SimulatedClock;

/** A controller with its own database connection and wall clock. */
class Controller {
  readonly leases: Leases;
  readonly peers = new Peers();
  readonly requested: number[] = [];
  readonly commands: string[] = [];
  isDown = false;
  isCutOff = false;

  constructor(holder: string, aheadMs = 0) {
    const own: Clock = {
      now: () => clock.now() + aheadMs, monotonic: () => clock.monotonic(),
      setTimer: (delayMs, fire) => clock.setTimer(delayMs, fire),
      setRepeating: (periodMs, fire) => clock.setRepeating(periodMs, fire),
    };
    this.leases = new Leases({
      clock: own, log: createLog('test', 'silent'), store: this.#store(), holder, shardCount: shardMap.count,
      acquired: () => undefined, released: async () => undefined, peers: this.peers,
      requestShards: (shards) => void this.requested.push(...shards), isCutOff: () => this.isCutOff,
    });
    this.leases.start();
  }

  get held(): number[] {
    return [...this.leases.held].sort((a, b) => a - b);
  }

  #store(): LeaseDeps['store'] {
    const command = async <T>(name: string, act: () => T): Promise<T> => {
      this.commands.push(name);
      if (this.isDown) throw new Error('the database does not respond');
      return act();
    };
    const same = (a: Lease, b: Lease) =>
      a.shard === b.shard && a.holder === b.holder && a.renewed_at === b.renewed_at;
    const put = (lease: Lease, over: (one: Lease) => boolean): void => {
      stored = [...stored.filter((one) => !over(one)), lease];
    };
    return {
      list: () => command('poll', () => stored),
      announce: (holder, renewal) => command('show', () =>
        put({ shard: null, holder, ...renewal }, (one) => one.shard === null && one.holder === holder)),
      acquire: (shard, holder, from, renewed_at) => command('acquire', () => {
        const found = stored.find((one) => one.shard === shard);
        if (from ? !found || !same(found, from) : found && found.holder !== holder) return false;
        put({ shard, holder, renewed_at }, (one) => one.shard === shard);
        return true;
      }),
      renew: (shards, holder, renewal) => command('renew', () => {
        const isOurs = (one: Lease) =>
          one.holder === holder && (one.shard === null || shards.includes(one.shard));
        const matched = stored.filter(isOurs).length;
        stored = stored.map((one) => (isOurs(one) ? { ...one, ...renewal } : one));
        return matched === shards.length + 1;
      }),
      release: (shards, holder) => command('release', () => {
        stored = stored.filter((one) => one.holder !== holder || !shards.includes(one.shard ?? -1));
      }),
      leave: (holder) => command('leave', () => {
        stored = stored.filter((one) => one.holder !== holder || one.shard !== null);
      }),
      removeDead: (dead) => command('bury', () => {
        stored = stored.filter((one) => !same(one, dead));
      }),
    };
  }
}

/** Two controllers that share the shards evenly. */
async function pair(aheadMs = 0): Promise<[Controller, Controller]> {
  const a = new Controller('a');
  await clock.advance(1);
  const b = new Controller('b', aheadMs);
  await clock.advance(1);
  a.leases.controllerJoined();
  await clock.advance(2 * RENEW_INTERVAL_MS);
  expect([a.held.length, b.held.length]).toEqual([8, 8]);
  return [a, b];
}

beforeEach(() => {
  clock = new SimulatedClock();
  stored = [];
});

describe('the only controller', () => {
  test('has its share after its first poll', async () => {
    const a = new Controller('a');
    expect(a.leases.hasHadShare).toBe(false);
    await clock.advance(1);
    expect([a.leases.hasHadShare, a.held]).toEqual([true, all]);
  });

  test('renews with one command, and polls for others every seventh time', async () => {
    const a = new Controller('a');
    // Its second renewal is the first of the only controller.
    await clock.advance(RENEW_INTERVAL_MS + 1);
    a.commands.length = 0;
    await clock.advance(13 * ONLY_CONTROLLER_INTERVAL_MS);
    const renewals = (length: number) => Array.from({ length }, () => 'renew');
    expect(a.commands).toEqual([...renewals(7), 'poll', ...renewals(6)]);
  });

  test('takes its own shards at once after a restart', async () => {
    const before = new Controller('a');
    await clock.advance(1);
    before.isDown = true;
    const after = new Controller('a');
    await clock.advance(1);
    expect([after.leases.hasHadShare, after.held]).toEqual([true, all]);
  });

  test('does not trust its leases after failed renewals', async () => {
    const a = new Controller('a');
    await clock.advance(RENEW_INTERVAL_MS + 1);
    expect(a.leases.areCurrent).toBe(true);
    a.isDown = true;
    await clock.advance(5400);
    expect(a.leases.areCurrent).toBe(true);
    await clock.advance(100);
    expect([a.leases.areCurrent, a.held, a.peers.isOnlyController]).toEqual([false, all, false]);
    a.isDown = false;
    await clock.advance(ONLY_CONTROLLER_INTERVAL_MS);
    expect([a.leases.areCurrent, a.held]).toEqual([true, all]);
  });
});

test('the only controller detects within one renewal that its clock has jumped forward', async () => {
  const a = new Controller('a');
  await clock.advance(1);
  let calls = 0;
  a.peers.onPollNeeded(() => (calls += 1));
  await clock.advance(60_000);
  expect([a.peers.isOnlyController, calls]).toEqual([true, 0]);
  clock.jump(600_000);
  await clock.advance(ONLY_CONTROLLER_INTERVAL_MS);
  expect(calls).toBe(1);
});

describe('a controller that joins', () => {
  test('requests its share from the owners, and has it once they have released it', async () => {
    const a = new Controller('a');
    await clock.advance(1);
    let arrivals = 0;
    a.peers.onPollNeeded(() => (arrivals += 1));
    const b = new Controller('b');
    await clock.advance(1);
    expect([b.requested.sort((x, y) => x - y), b.held, b.leases.hasHadShare]).toEqual([all, [], false]);
    a.leases.controllerJoined();
    await clock.advance(1);
    expect([a.held.length, a.peers.isOnlyController, arrivals]).toEqual([8, false, 1]);
    await clock.advance(RENEW_INTERVAL_MS);
    expect([b.held.length, b.leases.hasHadShare]).toEqual([8, true]);
  });

  test('does not make others wait for their share again', async () => {
    const [a, b] = await pair();
    const c = new Controller('c');
    await clock.advance(3 * RENEW_INTERVAL_MS);
    expect([a, b, c].map(({ held }) => held.length)).toEqual([6, 6, 4]);
    expect([a, b, c].map(({ leases }) => leases.hasHadShare)).toEqual([true, true, true]);
  });

  test('is visible to all others at each renewal', async () => {
    const [a] = await pair();
    a.commands.length = 0;
    await clock.advance(2 * RENEW_INTERVAL_MS);
    expect(a.commands).toEqual(['renew', 'poll', 'renew', 'poll']);
  });
});

describe('a controller that is killed', () => {
  test.each([0, 3_600_000, -3_600_000])('loses its shards within 5 s to one whose clock is %i ms ahead', async (aheadMs) => {
    const [a, b] = await pair(aheadMs);
    a.isDown = true;
    await clock.advance(3500);
    expect([a.leases.areCurrent, b.held.length]).toEqual([false, 8]);
    await clock.advance(1500);
    expect(b.held).toEqual(all);
    expect(b.peers.isOnlyController).toBe(true);
    expect(stored.some(({ holder }) => holder === 'a')).toBe(false);
  });

  test('loses no shard while its renewals are seen, regardless of clocks', async () => {
    const [a, b] = await pair(86_400_000);
    clock.jump(-3_600_000);
    await clock.advance(60_000);
    expect([a.held.length, b.held.length]).toEqual([8, 8]);
  });

  test('leaves its shards to two others that share them', async () => {
    const [a, b] = await pair();
    const c = new Controller('c');
    await clock.advance(3 * RENEW_INTERVAL_MS);
    a.isDown = true;
    await clock.advance(5000);
    expect([b.held.length, c.held.length]).toEqual([8, 8]);
    expect([...b.held, ...c.held].sort((x, y) => x - y)).toEqual(all);
  });

  test('has lost them when it wakes after a suspension', async () => {
    const [a, b] = await pair();
    a.isDown = true;
    await clock.advance(5000);
    expect(b.held).toEqual(all);
    a.isDown = false;
    await clock.advance(RENEW_INTERVAL_MS);
    b.leases.controllerJoined();
    await clock.advance(2 * RENEW_INTERVAL_MS);
    expect([...a.held, ...b.held].sort((x, y) => x - y)).toEqual(all);
    expect(a.held).toHaveLength(8);
  });
});

describe('a controller that cannot reach the bus', () => {
  test('loses its shards to those that can, and gets its share back', async () => {
    const [a, b] = await pair();
    a.isCutOff = true;
    await clock.advance(2 * RENEW_INTERVAL_MS);
    expect(b.held).toEqual(all);
    await clock.advance(RENEW_INTERVAL_MS);
    expect(a.held).toEqual([]);
    a.isCutOff = false;
    await clock.advance(3 * RENEW_INTERVAL_MS);
    expect([a.held.length, b.held.length]).toEqual([8, 8]);
  });

  test('keeps its shards while no controller can reach it', async () => {
    const [a, b] = await pair();
    a.isCutOff = b.isCutOff = true;
    await clock.advance(60_000);
    expect([a.held.length, b.held.length]).toEqual([8, 8]);
  });
});

test('nobody takes a shard after a database outage for all controllers', async () => {
  const [a, b] = await pair();
  const [ofA, ofB] = [a.held, b.held];
  a.isDown = b.isDown = true;
  await clock.advance(60_000);
  b.isDown = false;
  await clock.advance(RENEW_INTERVAL_MS);
  a.isDown = false;
  await clock.advance(20_000);
  expect([a.held, b.held]).toEqual([ofA, ofB]);
});

test('a shard taken by another controller is lost at the next renewal, even by the only controller', async () => {
  const a = new Controller('a');
  await clock.advance(1);
  stored = stored.map((one) => (one.shard === 3 ? { ...one, holder: 'b' } : one));
  await clock.advance(ONLY_CONTROLLER_INTERVAL_MS);
  expect(a.leases.holds(3)).toBe(false);
});
