import { expect, test } from 'vitest';
import { LoneVotes } from '../../../controller/results/clock/lone-votes.ts';
import { newLiveMonitor } from '../../../controller/results/state/live-monitor.ts';
import { newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import { NEW_REGION } from '../../../controller/verdicts/region-rules.ts';
import { configOf, HOUR, idIn } from './build.ts';

const [A, B] = [idIn(2, 0), idIn(2, 1)];

/** Monitors of two regions; one of them says "down", the other nothing. */
function monitors(...ids: string[]) {
  return new Map(ids.map((id) => {
    const state = newMonitorState({ ...configOf({ monitor_id: id }), assigned: ['dallas', 'paris'] });
    return [id, newLiveMonitor({ ...state, regions: { paris: { ...NEW_REGION, verdict: 'down' } } }, 1)];
  }));
}
const believed = (lone: LoneVotes, now: number) => lone.takeDue(now).map((one) => 'monitor_id' in one && one.monitor_id);

test('one region is believed after 10 s if others may have a say, and at once if nobody can', () => {
  const hopeless = new Set<string>();
  const lone = new LoneVotes(monitors(A, B), ({ config }) => !hopeless.has(config.monitor_id));
  lone.note(A, HOUR);
  expect(lone.dueAt).toBe(HOUR + 10_000);
  expect(believed(lone, HOUR + 9999)).toEqual([]);
  hopeless.add(B);
  lone.note(B, HOUR);
  expect(lone.dueAt).toBe(-Infinity);
  expect(believed(lone, HOUR)).toEqual([B]);
  expect(lone.dueAt).toBe(HOUR + 10_000);
  expect(believed(lone, HOUR + 10_000)).toEqual([A]);
  expect(lone.dueAt).toBeNull();
});

test('a region that is no longer alone when its turn comes is not believed for that', () => {
  const all = monitors(A);
  const lone = new LoneVotes(all, () => false);
  lone.note(A, HOUR);
  all.clear();
  expect(believed(lone, HOUR)).toEqual([]);
});
