import { expect, test } from 'vitest';
import { Witnesses } from '../../../controller/assignments/second-opinions.ts';
import type { ProbeDoc, RegionDoc } from '../../../controller/probes/probe.ts';
import { newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import { NEW_REGION } from '../../../controller/verdicts/votes/region-rules.ts';
import { createLog } from '../../../shared/log.ts';
import { BARE_PROBE } from '../../helpers/bare-probe.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { configOf } from '../results/build.ts';

const region = (id: string, owner: string | null): RegionDoc => ({
  _id: id, name: id, city: id, country: 'X', lat: null, lon: null,
  visibility: owner === null ? 'shared' : 'private', organization_id: owner, created_at: 0, to_place: 0,
});
const probeIn = (id: string, change: Partial<ProbeDoc> = {}): ProbeDoc => ({
  _id: `probe-${id}`, region_id: id, organization_id: null, name: id, created_at: 0,
  ...BARE_PROBE, version: '1', is_online: true, last_beat_at: 1,
  ...change,
});
const quarantine = { problem: 'late', reason: 'It is late', since: 1, bad_at: 1, clean_ms: 1 } as const;

/** A monitor in paris, which votes "down", and in dallas. */
function canGetMoreVotes(live: ProbeDoc[]): boolean {
  const regions = [region('berlin', null), region('dallas', null), region('oslo', 'other'), region('paris', null)];
  const unused = () => expect.fail('nobody is asked');
  const witnesses = new Witnesses({
    items: { ofMonitors: unused }, runNow: { order: unused },
    directory: { regions: () => regions, probesOf: () => [], probe: () => null },
    liveness: { liveProbes: (id) => live.filter((probe) => probe.region_id === id) },
    clock: new SimulatedClock(), log: createLog('test', 'silent'),
  });
  const state = newMonitorState({ ...configOf(), assigned: ['dallas', 'paris'] });
  return witnesses.canGetMoreVotes({ ...state, regions: { paris: { ...NEW_REGION, verdict: 'down' } } });
}

test.each<[string, ProbeDoc[], boolean]>([
  ['a silent region of the monitor has a live probe', [probeIn('dallas')], true],
  ['another region has a live probe', [probeIn('berlin')], true],
  ['only the reporting region has a live probe', [probeIn('paris')], false],
  ['the other probes are quarantined', [probeIn('dallas', { quarantine }), probeIn('berlin', { quarantine })], false],
  ['the only other region belongs to another organization', [probeIn('oslo')], false],
])('whether more votes can be obtained if %s', (_name, live, expected) => {
  expect(canGetMoreVotes(live)).toBe(expected);
});
