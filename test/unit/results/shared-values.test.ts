import { describe, expect, test } from 'vitest';
import { SharedValues } from '../../../controller/results/state/shard-state.ts';
import { NEW_REGION } from '../../../controller/verdicts/votes/region-rules.ts';
import { newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import type { MonitorState } from '../../../controller/verdicts/monitor-state.ts';
import { configOf } from '../../bench/loads/results.ts';

/** As parsed from a document: nothing is shared. */
function read(id: string, regions: string[] = ['eu', 'us']): MonitorState {
  const config = { ...configOf(id, 60_000, 1), monitoring_regions: regions, tls_warning_days: [30, 7] };
  const state = {
    ...newMonitorState(config), regions: { eu: { ...NEW_REGION, probe_id: 'probe', engine: '1.0.0' } },
  };
  return JSON.parse(JSON.stringify(state)) as MonitorState;
}

describe('states of one shard', () => {
  test('share equal lists, and otherwise stay unchanged', () => {
    const shared = new SharedValues();
    const [one, other] = [read('a'), read('b')];
    for (const state of [one, other]) shared.state(state, state.config.monitor_id);
    expect([one, other]).toEqual([read('a'), read('b')]);
    expect(one.config.monitoring_regions).toBe(other.config.monitoring_regions);
    expect(one.config.tls_warning_days).toBe(other.config.tls_warning_days);
  });

  test('do not share different values', () => {
    const shared = new SharedValues();
    const [one, other] = [read('a'), read('b', ['eu'])];
    for (const state of [one, other]) shared.state(state, state.config.monitor_id);
    expect([one, other]).toEqual([read('a'), read('b', ['eu'])]);
  });

  test('cannot modify each other\'s lists', () => {
    const state = read('a');
    new SharedValues().config(state.config);
    expect(() => state.config.monitoring_regions.push('ap')).toThrow(TypeError);
  });

  test('are correct for any number of different strings', () => {
    const shared = new SharedValues();
    for (let nth = 0; nth < 25_000; nth += 1) expect(shared.text(`text ${nth}`)).toBe(`text ${nth}`);
  });
});
