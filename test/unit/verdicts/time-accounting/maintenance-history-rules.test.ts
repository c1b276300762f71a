import { expect, test } from 'vitest';
import { nextMaintenanceChangeAt } from '../../../../controller/verdicts/time-accounting/maintenance-rules.ts';
import type { MonitorEffect } from '../../../../controller/verdicts/monitor-state.ts';
import { HOUR } from '../../results/build.ts';
import { MINUTE, MonitorRun } from '../build.ts';

const at = (minute: number): number => HOUR + minute * MINUTE;
const range = (from: number, until: number) => ({ from: at(from), until: at(until), holds_alerts: true });

/** The decisions of the clock up to a minute. */
const clock = (run: MonitorRun, minute: number) => run.item({ kind: 'maintenance', at: at(minute) });

/** Changes of status as from, to, whether it is in maintenance, and the minute. */
function lines(effects: MonitorEffect[]): [string, string, boolean, number][] {
  return effects.flatMap((effect) => (effect.kind === 'status'
    ? [[effect.change.from, effect.change.to, effect.change.in_maintenance ?? false,
      (effect.change.at - HOUR) / MINUTE]] : []));
}

test('maintenance begins and ends in the history at its own times, once each', () => {
  const run = new MonitorRun({ maintenance: [range(10, 20), range(30, 40)] });
  run.up(60);
  expect(nextMaintenanceChangeAt(run.state, at(5))).toBe(at(10));
  for (const minute of [5, 10.5, 11, 20.4, 21, 30, 39, 41, 50]) {
    clock(run, minute);
    run.up(minute * 60 + 1);
  }
  expect(lines(run.effects).slice(1)).toEqual([
    ['up', 'up', true, 10], ['up', 'up', false, 20], ['up', 'up', true, 30], ['up', 'up', false, 40],
  ]);
  expect(nextMaintenanceChangeAt(run.state, at(50))).toBeNull();
});

test('overlapping windows are one maintenance, after which the history has the changes during it', () => {
  const run = new MonitorRun({ maintenance: [range(10, 20), range(15, 30)] });
  run.up(60);
  clock(run, 10);
  expect(nextMaintenanceChangeAt(run.state, at(10))).toBe(at(30));
  run.down(15 * 60);
  clock(run, 20);
  clock(run, 30);
  expect(lines(run.effects).slice(1)).toEqual([
    ['up', 'up', true, 10], ['up', 'down', true, 15], ['down', 'down', false, 30],
  ]);
  const last = run.effects.findLast((effect) => effect.kind === 'status');
  expect(last).toMatchObject({ change: { incident_id: run.state.outage?.incident_id, reason: 'maintenance ended' } });
});

test('a window that a person ends early ends at that time', () => {
  const run = new MonitorRun({ maintenance: [range(10, 20)] });
  run.up(60);
  clock(run, 10);
  run.change(12 * 60, { maintenance: [] });
  expect(lines(run.effects).at(-1)).toEqual(['up', 'up', false, 12]);
});

test('an earlier change that is read after the start ends nothing', () => {
  const run = new MonitorRun({ maintenance: [range(10, 20)] });
  run.up(60);
  clock(run, 10);
  run.change(9 * 60, { name: 'Renamed' });
  expect(lines(run.effects).at(-1)).toEqual(['up', 'up', true, 10]);
  clock(run, 20);
  expect(lines(run.effects).at(-1)).toEqual(['up', 'up', false, 20]);
});

test('an earlier failure that is confirmed after the start is outside maintenance', () => {
  const run = new MonitorRun({ maintenance: [range(10, 20)] });
  run.up(60);
  clock(run, 10);
  run.down(9 * 60);
  expect(lines(run.effects).slice(1)).toEqual([['up', 'up', true, 10], ['up', 'down', false, 9]]);
});

test('a pause ends it with a single entry, and a monitor resumed meanwhile is in maintenance again', () => {
  const run = new MonitorRun({ maintenance: [range(10, 20)] });
  run.up(60);
  clock(run, 10);
  run.change(12 * 60, { status: 'paused' });
  expect(nextMaintenanceChangeAt(run.state, at(12))).toBeNull();
  clock(run, 13);
  run.change(14 * 60, { status: 'active' });
  clock(run, 14.1);
  expect(lines(run.effects).slice(2).map(([from, to, isMaintained]) => [from, to, isMaintained])).toEqual([
    ['up', 'paused', false], ['paused', 'unknown', false], ['unknown', 'unknown', true],
  ]);
});
