import { describe, expect, test } from 'vitest';
import { Agreements, agreementsOf, comparisonsOf } from '../../../controller/results/reading/agreements.ts';
import { newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import type { MonitorState } from '../../../controller/verdicts/monitor-state.ts';
import type { ShardView } from '../../../controller/results/shards/shard-message.ts';
import { NEW_REGION } from '../../../controller/verdicts/votes/region-rules.ts';
import { ShardMap } from '../../../shared/ids.ts';
import { configOf } from './build.ts';

/** A monitor with these votes of regions; each region's probe has the same name. */
function monitor(votes: Record<string, 'up' | 'down' | 'unknown'>, organization = 'o'): MonitorState {
  const assigned = Object.keys(votes);
  const state = newMonitorState({ ...configOf({ organization_id: organization }), assigned });
  const regions = Object.entries(votes).map(
    ([name, verdict]) => [name, { ...NEW_REGION, verdict, probe_id: name }] as const,
  );
  return { ...state, regions: Object.fromEntries(regions) };
}

const compared = (state: MonitorState) =>
  comparisonsOf(state).map(({ probeId, isAgainst }) => `${probeId} ${isAgainst ? 'against' : 'with'}`);

describe('votes on a monitor', () => {
  test.each([
    ['against the others', { a: 'down', b: 'up', c: 'up' }, ['a against', 'b with', 'c with']],
    ['all up', { a: 'up', b: 'up', c: 'up' }, ['a with', 'b with', 'c with']],
    ['an outage', { a: 'down', b: 'down', c: 'up' }, []],
    ['as many down as up', { a: 'down', b: 'down', c: 'up', d: 'up' }, []],
    ['only one other region', { a: 'down', b: 'up' }, []],
    ['only one other region with a vote', { a: 'down', b: 'up', c: 'unknown' }, []],
  ] as const)('%s', (_name, votes, expected) => {
    expect(compared(monitor(votes))).toEqual(expected);
  });

  test('are not compared if the monitor is paused', () => {
    const state = monitor({ a: 'down', b: 'up', c: 'up' });
    expect(compared({ ...state, config: { ...state.config, status: 'paused' } })).toEqual([]);
  });
});

const times = (count: number, state: MonitorState) => Array.from({ length: count }, () => state);

test('no organization contributes more than its limit', () => {
  const contradicted = monitor({ a: 'down', b: 'up', c: 'up' }, 'hostile');
  const outage = monitor({ a: 'down', b: 'down', c: 'down' }, 'one');
  const agreed = monitor({ a: 'up', b: 'up', c: 'up' }, 'one');
  expect(agreementsOf([...times(100, contradicted), outage, ...times(20, agreed)], 2)).toEqual({
    a: { monitors: 4, against: 2 }, b: { monitors: 4, against: 0 }, c: { monitors: 4, against: 0 },
  });
});

const PARAMS = {};

describe.each([1, 16, 256])('among %i shards', (count) => {
  const shardMap = new ShardMap(count);

  test('an organization contributes at most 32 monitors', () => {
    const agreements = new Agreements({ shardMap, requestOnce: async () => null });
    const agreed = monitor({ a: 'up', b: 'up', c: 'up' });
    const monitors = new Map(times(100, agreed).map((state, at) => [String(at), { state }]));
    const compared = shardMap.all.map((shard) => {
      const view = { state: { shard, monitors }, writer: '' } as unknown as ShardView;
      return agreements.query.fromMemory(view, PARAMS)['a']?.monitors ?? 0;
    });
    expect(compared.reduce((sum, one) => sum + one, 0)).toBe(32);
  });

  test('their owners are polled within 16 turns, and an unavailable owner\'s earlier response is dropped', async () => {
    const owners = new Set(shardMap.all.slice(0, 32));
    const polled = owners.size;
    const agreements = new Agreements({
      shardMap,
      requestOnce: async <A>(shard: number) => (owners.has(shard) ? { a: { monitors: 4, against: shard } } as A : null),
    });
    const poll = async () => {
      for (let turns = 0; turns < 16; turns += 1) await agreements.pollNextShards();
    };
    expect(agreements.of('a')).toBeNull();
    await poll();
    expect(agreements.of('a')).toEqual({ monitors: 4 * polled, against: polled * (polled - 1) / 2 });
    expect(agreements.of('b')).toBeNull();
    owners.delete(0);
    await poll();
    expect(agreements.of('a')?.monitors ?? 0).toBe(4 * (polled - 1));
  });
});
