import { expect, test } from 'vitest';
import { LoneVotes } from '../../../controller/results/clock/lone-votes.ts';
import { newLiveMonitor } from '../../../controller/results/state/live-monitor.ts';
import { newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import { NEW_REGION } from '../../../controller/verdicts/region-rules.ts';
import type { MonitorState } from '../../../controller/verdicts/monitor-state.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { configOf, HOUR, idIn } from './build.ts';

const [A, B] = [idIn(2, 0), idIn(2, 1)];

/** Monitors of two regions; one of them says "down", the other nothing. */
function monitors(...ids: string[]) {
  return new Map(ids.map((id) => {
    const state = newMonitorState({ ...configOf({ monitor_id: id }), assigned: ['dallas', 'paris'] });
    return [id, newLiveMonitor({ ...state, regions: { paris: { ...NEW_REGION, verdict: 'down' } } }, 1)];
  }));
}
const believed = (lone: LoneVotes, clock: SimulatedClock) =>
  lone.takeDue(clock.now()).map((one) => 'monitor_id' in one && one.monitor_id);

test('one region is believed after 10 s if others may have a say, and at once if nobody can', async () => {
  const clock = new SimulatedClock(HOUR);
  const start = clock.monotonic();
  const hopeless = new Set<string>();
  const canBeHelped = ({ config }: MonitorState) => !hopeless.has(config.monitor_id);
  const lone = new LoneVotes(monitors(A, B), canBeHelped, () => clock.monotonic());
  lone.note(A);
  expect(lone.dueAt).toBe(start + 10_000);
  await clock.advance(9999);
  expect(believed(lone, clock)).toEqual([]);
  hopeless.add(B);
  lone.note(B);
  expect(lone.dueAt).toBe(-Infinity);
  expect(believed(lone, clock)).toEqual([B]);
  expect(lone.dueAt).toBe(start + 10_000);
  await clock.advance(1);
  expect(believed(lone, clock)).toEqual([A]);
  expect(lone.dueAt).toBeNull();
});

test.each([-3_600_000, 3_600_000])('a wall clock that is set by %i ms meanwhile changes nothing', async (byMs) => {
  const clock = new SimulatedClock(HOUR);
  const lone = new LoneVotes(monitors(A), () => true, () => clock.monotonic());
  lone.note(A);
  clock.jump(byMs);
  await clock.advance(9999);
  expect(believed(lone, clock)).toEqual([]);
  await clock.advance(1);
  expect(lone.takeDue(clock.now())).toEqual([{ kind: 'alone', monitor_id: A, at: clock.now() }]);
});

test('a region that is no longer alone when its turn comes is not believed for that', () => {
  const clock = new SimulatedClock(HOUR);
  const all = monitors(A);
  const lone = new LoneVotes(all, () => false, () => clock.monotonic());
  lone.note(A);
  all.clear();
  expect(believed(lone, clock)).toEqual([]);
});
