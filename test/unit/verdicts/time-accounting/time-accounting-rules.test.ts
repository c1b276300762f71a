import { describe, expect, test } from 'vitest';
import type { MonitorConfig } from '../../../../controller/verdicts/monitor-config.ts';
import { HOUR } from '../../results/build.ts';
import { MonitorRun } from '../build.ts';

describe('time is accounted', () => {
  test('under the status that held, from each result to the next', () => {
    const run = new MonitorRun();
    for (let at = 0.001; at < 3600; at += 60) run.up(at);
    run.closeHour(1);
    expect(run.accountedSeconds()).toEqual([3599.999, 0, 0]);
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
    expect(run.accountedSeconds()).toEqual(
      [600 + 2400, 0, 1200 - 600.001].map((seconds) => expect.closeTo(seconds, 6)),
    );
  });

  test('in both hours when it crosses the end of an hour', () => {
    const run = new MonitorRun();
    for (let at = 3000; at < 4200; at += 60) run.up(at);
    run.closeHour(1);
    run.closeHour(2);
    expect(run.accountedSeconds(0)).toEqual([600, 0, 0]);
    // The last result is at 4140 s. It covers one interval if nothing follows.
    expect(run.accountedSeconds(1)).toEqual([4200 - 3600, 0, 0]);
  });

  test('for one interval after the last result before a long gap', () => {
    const run = new MonitorRun();
    run.up(60);
    run.up(120);
    run.up(1200);
    run.closeHour(1);
    expect(run.accountedSeconds()[0]).toBe(60 + 60 + 60);
  });

  test('not at all while the monitor is paused or unknown', () => {
    const run = new MonitorRun();
    run.up(60);
    run.change(120, { status: 'paused' });
    run.change(600, { status: 'active' });
    run.up(660);
    for (let at = 720; at < 3600; at += 60) run.up(at);
    run.closeHour(1);
    expect(run.accountedSeconds()).toEqual([60 + 3600 - 660, 0, 0]);
  });

  test('never twice, and never beyond the available time', () => {
    const run = new MonitorRun({ retries: 1 });
    run.up(10);
    run.down(70);
    run.closeHour(1);
    run.down(71);
    run.up(130);
    run.closeHour(1);
    const [up = 0, degraded = 0, down = 0] = run.accountedSeconds();
    expect(up + degraded + down).toBeLessThanOrEqual(3600);
    expect(Math.min(up, degraded, down)).toBeGreaterThanOrEqual(0);
    expect(run.state.accounted_until).toBeGreaterThanOrEqual(HOUR + 3_600_000);
  });
});

describe('results in transit when the configuration changes', () => {
  /** Up, with results until 120 s when the change of 300 s reaches the journal. */
  const changedBeforeResults = (change: Partial<MonitorConfig>): MonitorRun => {
    const run = new MonitorRun({ interval_ms: 60_000, timeout_ms: 10_000, retries: 1 });
    run.up(60);
    run.up(120);
    run.change(300, { check_revision: 1, ...change });
    return run;
  };

  test('are accounted as if they had arrived before', () => {
    const run = changedBeforeResults({ name: 'renamed' });
    for (const at of [180.01, 239.99, 300, 360]) run.up(at);
    run.closeHour(1);
    expect(run.accountedSeconds()).toEqual([360 + 60 - 60, 0, 0]);
  });

  test('report an outage with its time', () => {
    const run = changedBeforeResults({ name: 'renamed' });
    for (const at of [180, 182, 240]) run.down(at);
    for (const at of [300, 360]) run.up(at);
    run.closeHour(1);
    expect(run.accountedSeconds()).toEqual([120 + 120, 0, 120]);
  });

  test('are accounted up to the pause', () => {
    const run = changedBeforeResults({ status: 'paused' });
    expect(run.accountedSeconds()).toEqual([120, 0, 0]);
    for (const at of [180.01, 239.99, 299, 301]) run.up(at);
    expect(run.accountedSeconds()).toEqual([300 - 60, 0, 0]);
    expect(run.state).toMatchObject({ status: 'paused', late: { gaps: [[HOUR, HOUR + 60_000]] } });
  });

  test('are accounted up to the change of the check', () => {
    const run = changedBeforeResults({ check_revision: 2 });
    expect(run.accountedSeconds()).toEqual([120, 0, 0]);
    run.result(180, { assignment_rev: 1 });
    run.result(240, { assignment_rev: 1, outcome: 'failure' });
    expect(run.accountedSeconds()).toEqual([240 - 60, 0, 60]);
    expect(run.state).toMatchObject({ status: 'up', regions: { eu: { fails: 0 } } });
  });

  test('account only one interval each if others are missing', () => {
    const run = changedBeforeResults({ status: 'paused' });
    run.change(600, { status: 'active' });
    run.up(660);
    run.change(2000, { status: 'paused', check_revision: 3 });
    expect(run.accountedSeconds()).toEqual([120 + 60, 0, 0]);
    run.result(1200, { assignment_rev: 3 });
    run.result(1200, { assignment_rev: 3 });
    expect(run.accountedSeconds()).toEqual([120 + 60 + 60, 0, 0]);
  });

  test('account the status they report, even in an outage ended by the pause', () => {
    const run = new MonitorRun({ interval_ms: 60_000, timeout_ms: 10_000 });
    run.up(60);
    run.down(120);
    run.change(300, { check_revision: 1, status: 'paused' });
    expect(run.accountedSeconds()).toEqual([60, 0, 60]);
    run.down(180);
    run.up(240);
    expect(run.accountedSeconds()).toEqual([60 + 60, 0, 60 + 60]);
    expect(run.lines).toEqual(
      ['unknown→up@60', 'up→down@120', 'open@120', 'monitor.down@120', 'resolve@300', 'down→paused@300'],
    );
  });

  const closed = (): MonitorRun => {
    const run = new MonitorRun({ interval_ms: 60_000, timeout_ms: 10_000 });
    run.up(3400);
    run.change(3590, { check_revision: 1, status: 'paused' });
    run.closeHour(1);
    return run;
  };

  test('fill a past hour as long as its rollup is not written', () => {
    const run = closed();
    expect(run.accountedSeconds()).toEqual([60, 0, 0]);
    run.up(3460);
    run.up(3520);
    run.up(3580);
    expect(run.accountedSeconds()).toEqual([3590 - 3400, 0, 0]);
  });

  test('do not change an hour with a written rollup', () => {
    const run = closed();
    run.state = { ...run.state, accounted: {} };
    run.up(3460);
    expect(run.state.accounted).toEqual({});
    expect(run.state.late?.gaps.at(-1)).toEqual([HOUR + 3_460_000, HOUR + 3_590_000]);
  });
});
