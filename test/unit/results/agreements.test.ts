import { describe, expect, test } from 'vitest';
import { Agreements, comparisonsOf } from '../../../controller/results/reading/agreements.ts';
import { newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import type { MonitorState } from '../../../controller/verdicts/monitor-state.ts';
import { NEW_REGION } from '../../../controller/verdicts/region-rules.ts';
import { configOf, idIn } from './build.ts';

/** A monitor whose regions say this; the probe of each is named like it. */
function monitor(said: Record<string, 'up' | 'down' | 'unknown'>, organization = 'o'): MonitorState {
  const assigned = Object.keys(said);
  const state = newMonitorState({ ...configOf({ organization_id: organization }), assigned });
  const regions = Object.entries(said).map(
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
    ['one other only', { a: 'down', b: 'up' }, []],
    ['one other that has a vote', { a: 'down', b: 'up', c: 'unknown' }, []],
  ] as const)('%s', (_name, said, expected) => {
    expect(compared(monitor(said))).toEqual(expected);
  });

  test('of a paused monitor are not compared', () => {
    const state = monitor({ a: 'down', b: 'up', c: 'up' });
    expect(compared({ ...state, config: { ...state.config, status: 'paused' } })).toEqual([]);
  });
});

test('a round over all shards counts each probe, and no organization for more than its part', () => {
  const shardOf = (count: number, state: MonitorState) =>
    ({ monitors: new Map(Array.from({ length: count }, (_, at) => [idIn(1, at), { state }])) });
  const shards = new Map([
    [1, shardOf(100, monitor({ a: 'down', b: 'up', c: 'up' }, 'hostile'))],
    [2, shardOf(20, monitor({ a: 'up', b: 'up', c: 'up' }, 'one'))],
    [3, shardOf(20, monitor({ a: 'up', b: 'up', c: 'up' }, 'another'))],
  ]);
  const agreements = new Agreements(() => shards);
  for (let turns = 0; turns < 3; turns += 1) {
    agreements.turn();
    expect(agreements.of('a')).toBeNull();
  }
  agreements.turn();
  expect(agreements.of('a')).toMatchObject({ monitors: 65, against: 25 });
  expect(agreements.of('b')).toMatchObject({ monitors: 65, against: 0 });
  expect(agreements.of('unknown')).toBeNull();
  shards.clear();
  for (let turns = 0; turns < 5; turns += 1) agreements.turn();
  expect(agreements.of('a')).toBeNull();
});
