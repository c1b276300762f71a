import { expect, test } from 'vitest';
import { MinorityVerdicts } from '../../../controller/results/clock/due-monitors.ts';
import { newLiveMonitor } from '../../../controller/results/state/live-monitor.ts';
import { newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import { NEW_REGION } from '../../../controller/verdicts/votes/region-rules.ts';
import type { MonitorState } from '../../../controller/verdicts/monitor-state.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { configOf, HOUR, idIn } from './build.ts';

const [A, B] = [idIn(2, 0), idIn(2, 1)];

/** Monitors of two regions: one votes "down", the other is silent. */
function monitors(...ids: string[]) {
  return new Map(ids.map((id) => {
    const state = newMonitorState({ ...configOf({ monitor_id: id }), assigned: ['dallas', 'paris'] });
    return [id, newLiveMonitor({ ...state, regions: { paris: { ...NEW_REGION, verdict: 'down' } } }, 1)];
  }));
}
const accepted = (minority: MinorityVerdicts, clock: SimulatedClock) =>
  minority.takeDue(clock.now()).map((one) => 'monitor_id' in one && one.monitor_id);

test('one region\'s verdict is accepted after 10 s if others may still vote, and at once if none can', async () => {
  const clock = new SimulatedClock(HOUR);
  const start = clock.monotonic();
  const withoutWitnesses = new Set<string>();
  const canGetMoreVotes = ({ config }: MonitorState) => !withoutWitnesses.has(config.monitor_id);
  const minority = new MinorityVerdicts(monitors(A, B), canGetMoreVotes, () => clock.monotonic());
  minority.note(A);
  expect(minority.dueAt).toBe(start + 10_000);
  await clock.advance(9999);
  expect(accepted(minority, clock)).toEqual([]);
  withoutWitnesses.add(B);
  minority.note(B);
  expect(minority.dueAt).toBe(-Infinity);
  expect(accepted(minority, clock)).toEqual([B]);
  expect(minority.dueAt).toBe(start + 10_000);
  await clock.advance(1);
  expect(accepted(minority, clock)).toEqual([A]);
  expect(minority.dueAt).toBeNull();
});

test.each([-3_600_000, 3_600_000])('setting the wall clock by %i ms meanwhile has no effect', async (byMs) => {
  const clock = new SimulatedClock(HOUR);
  const minority = new MinorityVerdicts(monitors(A), () => true, () => clock.monotonic());
  minority.note(A);
  clock.jump(byMs);
  await clock.advance(9999);
  expect(accepted(minority, clock)).toEqual([]);
  await clock.advance(1);
  expect(minority.takeDue(clock.now())).toEqual([{ kind: 'alone', monitor_id: A, at: clock.now() }]);
});

test('a minority verdict is not accepted if more regions report before it is due', () => {
  const clock = new SimulatedClock(HOUR);
  const all = monitors(A);
  const minority = new MinorityVerdicts(all, () => false, () => clock.monotonic());
  minority.note(A);
  all.clear();
  expect(accepted(minority, clock)).toEqual([]);
});
