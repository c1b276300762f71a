import { describe, expect, test } from 'vitest';
import { planLeases } from '../../../controller/results/shards/lease-rules.ts';
import type { Lease } from '../../../controller/results/shards/lease-rules.ts';

const lease = (shard: number | null, holder: string): Lease => ({ shard, holder, renewed_at: 0 });
/** The plan of `a` with other live controllers. */
const plan = (leases: Lease[], alive: number, barred: number[] = []) => {
  const names = ['a', 'b', 'c', ...Array.from({ length: alive }, (_, at) => `d${at}`)];
  const shown = names.slice(0, alive).map((name) => lease(null, name));
  return planLeases({ leases: [...leases, ...shown], holder: 'a', shardCount: 16, isCutOff: false, barred: new Set(barred) });
};
const all = Array.from({ length: 16 }, (_, shard) => shard);

describe('a share of the shards', () => {
  test('is everything for the only controller', () => {
    expect(plan([], 1)).toEqual({ alive: 1, free: all, room: 16, release: [], awaited: 0 });
  });

  test.each([
    [2, 8], [3, 6], [5, 4], [16, 1], [40, 1],
  ])('among %i controllers is at most %i', (alive, share) => {
    expect(plan([], alive).room).toBe(share);
    expect(plan(all.map((shard) => lease(shard, 'a')), alive).release).toHaveLength(16 - share);
  });

  test('never includes a shard of another live controller', () => {
    expect(plan([lease(0, 'b'), lease(2, 'b')], 1).free).toEqual(
      all.filter((shard) => shard !== 0 && shard !== 2),
    );
  });

  test('never includes an unreadable shard', () => {
    expect(plan([lease(3, 'a'), lease(4, 'a')], 1, [3, 5])).toEqual({
      alive: 1, free: all.filter((shard) => ![3, 4, 5].includes(shard)), room: 15, release: [3], awaited: 0,
    });
  });

  test('is complete once no other controller has more than its own', () => {
    const heldBy = (holders: string[]) => all.map((shard) => lease(shard, holders[shard] ?? 'b'));
    expect(plan(heldBy([]), 2).awaited).toBe(8);
    expect(plan(heldBy(Array<string>(7).fill('a')), 2).awaited).toBe(1);
    expect(plan(heldBy(Array<string>(8).fill('a')), 2).awaited).toBe(0);
    // Three share 16 shards: the last one gets four.
    expect(plan(heldBy(all.map((shard) => (shard < 6 ? 'c' : shard < 12 ? 'b' : 'a'))), 3).awaited).toBe(0);
    expect(plan(heldBy(all.map((shard) => (shard < 6 ? 'c' : 'b'))), 3).awaited).toBe(4);
    // Until its leases are found dead, a dead controller is one of two with half of them.
    expect(plan(all.slice(8).map((shard) => lease(shard, 'b')), 2)).toMatchObject({
      free: all.slice(0, 8), room: 8, awaited: 0,
    });
  });

  describe('of a controller that cannot reach the bus', () => {
    const ofB = all.slice(0, 8).map((shard) => lease(shard, 'b'));
    const ofA = all.slice(8).map((shard) => lease(shard, 'a'));
    const shown = (name: string, is_cut_off: boolean) => ({ ...lease(null, name), is_cut_off });
    const planned = (isCutOff: boolean, ...others: Lease[]) =>
      planLeases({ leases: [...ofA, ...ofB, ...others], holder: 'a', shardCount: 16, isCutOff, barred: new Set() });

    test('is taken by others', () => {
      expect(planned(false, shown('b', true))).toMatchObject({ free: all.slice(0, 8), room: 8, release: [] });
    });

    test('is empty, and it keeps the shards that nobody has taken yet', () => {
      expect(planned(true, shown('b', false))).toMatchObject({ free: [], room: -8, release: [] });
    });

    test('is even while no controller can reach it', () => {
      expect(planned(true, shown('b', true))).toMatchObject({ alive: 2, free: [], room: 0, release: [] });
    });
  });
});
