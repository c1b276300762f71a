import { describe, expect, test } from 'vitest';
import { noDataAt } from '../../../../controller/verdicts/status/status-rules.ts';
import { newMonitorState } from '../../../../controller/verdicts/monitor-rules.ts';
import { configOf, HOUR } from '../../results/build.ts';
import { MINUTE, MonitorRun, SECOND } from '../build.ts';

const AFTER_MS = 5 * MINUTE;

/** Up from the first second on, and silent since 20 s. */
function silent(): MonitorRun {
  const run = new MonitorRun({ interval_ms: 10_000 });
  run.up(1);
  run.up(10);
  run.silent('eu', 20);
  run.effects = [];
  return run;
}

const noData = (run: MonitorRun, atSeconds: number) =>
  run.item({ kind: 'no_data', at: HOUR + atSeconds * SECOND });

describe('a no-data alert is sent', () => {
  test('once, with the silent regions and the last successful check', () => {
    const run = silent();
    const since = run.state.since;
    const [effect] = noData(run, 320);
    noData(run, 330);
    expect(run.lines).toEqual([`monitor.no_data@${(since - HOUR) / SECOND}`]);
    expect(effect).toMatchObject({
      alert: { incident: null, regions: ['eu'], last_success: { at: HOUR + 10 * SECOND } },
    });
  });

  test('and resolved once when it has a status again, whichever that is', () => {
    for (const status of ['up', 'down'] as const) {
      const run = silent();
      noData(run, 320);
      run.effects = [];
      run[status](400);
      run.up(410);
      expect(run.lines.filter((each) => each.startsWith('monitor.no_data'))).toEqual([
        'monitor.no_data_resolved@400',
      ]);
    }
  });

  test('again when it is silent again', () => {
    const run = silent();
    noData(run, 320);
    run.up(400);
    run.silent('eu', 420);
    noData(run, 720);
    expect(run.lines.filter((each) => each.startsWith('monitor.no_data@'))).toHaveLength(2);
  });

  test('not if data arrived along with the decision', () => {
    const run = silent();
    run.up(319);
    run.effects = [];
    noData(run, 320);
    expect(run.lines).toEqual([]);
  });

  test('not as resolved if the monitor is paused meanwhile, nor for time before the pause', () => {
    const run = silent();
    noData(run, 320);
    run.change(330, { status: 'paused' });
    run.change(340, { status: 'active' });
    run.up(350);
    expect(run.lines.filter((each) => each.startsWith('monitor.no_data_resolved'))).toEqual([]);
  });

  test('although late results of the silence arrived first', () => {
    const run = silent();
    noData(run, 320);
    run.effects = [];
    run.result(100, { late: true });
    expect(run.lines).toEqual([]);
    run.up(400);
    expect(run.lines).toContain('monitor.no_data_resolved@400');
  });
});

describe('a no-data alert is due', () => {
  test('after the larger of the setting and three intervals', () => {
    const { state } = silent();
    expect(noDataAt(state, AFTER_MS, 0)).toBe(state.since + AFTER_MS);
    const slow = { ...state, config: { ...state.config, interval_ms: 10 * MINUTE } };
    expect(noDataAt(slow, AFTER_MS, 0)).toBe(state.since + 30 * MINUTE);
  });

  test('counted from when a controller receives data', () => {
    const { state } = silent();
    expect(noDataAt(state, AFTER_MS, HOUR + 10 * MINUTE)).toBe(HOUR + 10 * MINUTE + AFTER_MS);
  });

  test('never for a monitor that was never checked, is up or paused, for a heartbeat, or a second time', () => {
    const run = silent();
    expect(noDataAt(newMonitorState(configOf()), AFTER_MS, 0)).toBeNull();
    expect(noDataAt({ ...run.state, status: 'up' }, AFTER_MS, 0)).toBeNull();
    expect(noDataAt({ ...run.state, status: 'paused' }, AFTER_MS, 0)).toBeNull();
    const heartbeat = { last_at: HOUR, started_at: null, deadline: HOUR, not_before: HOUR };
    expect(noDataAt({ ...run.state, heartbeat }, AFTER_MS, 0)).toBeNull();
    noData(run, 320);
    expect(noDataAt(run.state, AFTER_MS, 0)).toBeNull();
  });
});
