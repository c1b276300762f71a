import { describe, expect, test } from 'vitest';
import { Agreements, agreementsOf, comparisonsOf } from '../../../controller/results/reading/agreements.ts';
import { newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import type { MonitorState } from '../../../controller/verdicts/monitor-state.ts';
import { NEW_REGION } from '../../../controller/verdicts/votes/region-rules.ts';
import { SHARD_COUNT } from '../../../shared/ids.ts';
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

test('no organization contributes more than its limit per shard', () => {
  const contradicted = monitor({ a: 'down', b: 'up', c: 'up' }, 'hostile');
  const outage = monitor({ a: 'down', b: 'down', c: 'down' }, 'one');
  const agreed = monitor({ a: 'up', b: 'up', c: 'up' }, 'one');
  expect(agreementsOf([...times(100, contradicted), outage, ...times(20, agreed)])).toEqual({
    a: { monitors: 4, against: 2 }, b: { monitors: 4, against: 0 }, c: { monitors: 4, against: 0 },
  });
});

test('the owners of all shards are polled in turn, and an unavailable owner\'s earlier response is dropped', async () => {
  const owners = new Set(Array.from({ length: SHARD_COUNT }, (_, shard) => shard));
  const agreements = new Agreements({
    requestOnce: async <A>(shard: number) =>
      (owners.has(shard) ? { a: { monitors: 4, against: shard } } as A : null),
  });
  const turn = async () => {
    for (let turns = 0; turns < SHARD_COUNT; turns += 1) await agreements.pollNextShard();
  };
  expect(agreements.of('a')).toBeNull();
  await turn();
  expect(agreements.of('a')).toEqual({ monitors: 64, against: 120 });
  expect(agreements.of('b')).toBeNull();
  owners.delete(15);
  await turn();
  expect(agreements.of('a')).toEqual({ monitors: 60, against: 105 });
});
