import { describe, expect, test } from 'vitest';
import { HOUR } from '../results/build.ts';
import { MonitorRun } from './build.ts';

describe('time is booked', () => {
  test('under the status that held, from each result to the next', () => {
    const run = new MonitorRun();
    for (let at = 0.001; at < 3600; at += 60) run.up(at);
    run.closeHour(1);
    expect(run.booked()).toEqual([3599.999, 0, 0]);
  });

  test('as down from the first failure, even if the outage is confirmed later', () => {
    const run = new MonitorRun({ retries: 2 });
    for (let at = 0.001; at < 600; at += 60) run.up(at);
    run.down(600.001);
    run.down(602);
    run.down(604);
    for (let at = 660; at < 1200; at += 60) run.down(at);
    for (let at = 1200; at < 3600; at += 60) run.up(at);
    run.closeHour(1);
    expect(run.booked()).toEqual(
      [600 + 2400, 0, 1200 - 600.001].map((seconds) => expect.closeTo(seconds, 6)),
    );
  });

  test('in both hours when it crosses the end of an hour', () => {
    const run = new MonitorRun();
    for (let at = 3000; at < 4200; at += 60) run.up(at);
    run.closeHour(1);
    run.closeHour(2);
    expect(run.booked(0)).toEqual([600, 0, 0]);
    // The last result is at 4140 s; it stands for one interval when nothing follows.
    expect(run.booked(1)).toEqual([4200 - 3600, 0, 0]);
  });

  test('for one interval after the last result before a long gap', () => {
    const run = new MonitorRun();
    run.up(60);
    run.up(120);
    run.up(1200);
    run.closeHour(1);
    expect(run.booked()[0]).toBe(60 + 60 + 60);
  });

  test('not at all while the monitor is paused or unknown', () => {
    const run = new MonitorRun();
    run.up(60);
    run.change(120, { status: 'paused' });
    run.change(600, { status: 'active' });
    run.up(660);
    for (let at = 720; at < 3600; at += 60) run.up(at);
    run.closeHour(1);
    expect(run.booked()).toEqual([60 + 3600 - 660, 0, 0]);
  });

  test('never twice, and never beyond the time there is', () => {
    const run = new MonitorRun({ retries: 1 });
    run.up(10);
    run.down(70);
    run.closeHour(1);
    run.down(71);
    run.up(130);
    run.closeHour(1);
    const [up = 0, degraded = 0, down = 0] = run.booked();
    expect(up + degraded + down).toBeLessThanOrEqual(3600);
    expect(Math.min(up, degraded, down)).toBeGreaterThanOrEqual(0);
    expect(run.state.booked_until).toBeGreaterThanOrEqual(HOUR + 3_600_000);
  });
});
