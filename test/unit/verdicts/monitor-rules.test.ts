import { describe, expect, test } from 'vitest';
import { isLate } from '../../../controller/verdicts/monitor-rules.ts';
import type { MonitorEffect } from '../../../controller/verdicts/monitor-state.ts';
import { configOf, HOUR } from '../results/build.ts';
import { MonitorRun, SECOND } from './build.ts';

describe('a monitor in one region', () => {
  test('is unknown until its first result', () => {
    const run = new MonitorRun();
    expect(run.state.status).toBe('unknown');
    expect(run.up(10)).toHaveLength(1);
    expect(run.lines).toEqual(['unknown→up@10']);
  });

  test('without retries goes down with the first failure and up with the first success', () => {
    const run = new MonitorRun({ retries: 0 });
    run.up(0.001);
    run.down(60);
    run.up(120);
    expect(run.lines.slice(1)).toEqual([
      'up→down@60', 'open@60', 'monitor.down@60', 'down→up@120', 'resolve@120', 'monitor.up@120',
    ]);
  });

  test.each([
    0, 1, 2, 5,
  ])('with %i retries goes down with one more failure, and the outage begins at the first', (retries) => {
    const run = new MonitorRun({ retries });
    run.up(1);
    for (let fails = 0; fails < retries; fails += 1) expect(run.down(60 + fails)).toEqual([]);
    expect(run.state.status).toBe('up');
    expect(run.down(100)).toHaveLength(3);
    expect(run.lines.slice(1)).toEqual([
      `up→down@${retries === 0 ? 100 : 60}`, `open@${retries === 0 ? 100 : 60}`,
      `monitor.down@${retries === 0 ? 100 : 60}`,
    ]);
    expect(run.state.outage?.failure_count).toBe(retries + 1);
  });

  test('counts from zero again after a success', () => {
    const run = new MonitorRun({ retries: 1 });
    run.up(1);
    run.down(60);
    run.up(61);
    run.down(120);
    expect(run.lines).toEqual(['unknown→up@1']);
  });

  test('counts further failures while down without an alert', () => {
    const run = new MonitorRun();
    run.down(60);
    for (let at = 120; at <= 300; at += 60) expect(run.down(at)).toEqual([]);
    run.up(360);
    const resolve =
      run.effects.find((effect): effect is MonitorEffect & { kind: 'resolve' } => effect.kind === 'resolve');
    expect(resolve?.resolution.failure_count).toBe(5);
  });

  test('of slow responses that fail the check is major, so that status pages show it', () => {
    const run = new MonitorRun();
    run.result(60, { outcome: 'failure', error: { type: 'slow_response', message: 'Response took 900 ms' } });
    const open = run.effects.find((effect) => effect.kind === 'open');
    expect(open).toMatchObject({ opening: { type: 'slow_response', severity: 'major' } });
  });

  test('has an incident with the error, severity and regions', () => {
    const run = new MonitorRun();
    run.result(60, { outcome: 'failure', error: { type: 'timeout', message: 'No response in 10 s' } });
    const open =
      run.effects.find((effect): effect is MonitorEffect & { kind: 'open' } => effect.kind === 'open');
    expect(open?.opening).toMatchObject({
      type: 'timeout', severity: 'critical', error_message: 'No response in 10 s', affected_regions: ['eu'],
      failure_count: 1,
    });
    expect(run.effects.find((effect) => effect.kind === 'alert')).toMatchObject({
      alert: { event: 'monitor.down', error: { type: 'timeout' }, incident: { id: open?.opening.id } },
    });
  });
});

test('every region of a new monitor has a vote, in any order of the first results', () => {
  const run = new MonitorRun({ quorum: 'majority' });
  run.up(10, 'eu');
  run.up(9, 'us');
  expect(run.state.since).toBe(HOUR + 10 * SECOND);
  run.down(20, 'eu');
  expect(run.state.status).toBe('up');
  run.down(21, 'us');
  expect(run.state.status).toBe('down');
});

describe('a verdict is not changed by', () => {
  test('a late result', () => {
    const run = new MonitorRun();
    run.up(600);
    run.result(610, { outcome: 'failure', late: true });
    expect(run.state).toMatchObject({ status: 'up', outage: null, last_failure_at: HOUR + 610_000 });
  });

  test('a result of the check before an edit', () => {
    const run = new MonitorRun();
    run.up(1);
    run.change(10, { target: 'https://example.org/other' });
    run.result(60, { outcome: 'failure', assignment_rev: 1 });
    expect(run.state.status).toBe('up');
    run.down(61);
    expect(run.state.status).toBe('down');
  });

  test('a missed slot of the check before an edit', () => {
    const run = new MonitorRun();
    run.up(1);
    run.change(10, { target: 'https://example.org/other' });
    const missed = { outcome: 'missed', missed: { reason: 'overload', count: 5 } } as const;
    run.result(600, { ...missed, assignment_rev: 1 });
    expect(run.state.status).toBe('up');
    run.result(600, { ...missed, assignment_rev: 2 });
    expect(run.state.status).toBe('unknown');
  });

  test('slots of a check that the probe does not support', () => {
    const run = new MonitorRun({ type: 'DNS' });
    for (const at of [0, 60, 120, 180]) {
      run.result(at, { outcome: 'missed', missed: { reason: 'unsupported', count: 1 } });
    }
    expect([run.state.status, run.lines]).toEqual(['unknown', []]);
  });

  test('a rename, after which results of the same check still count', () => {
    const run = new MonitorRun();
    run.up(1);
    run.change(10, { name: 'other', check_revision: 1 });
    run.result(60, { outcome: 'failure', assignment_rev: 1 });
    run.result(61, { outcome: 'failure', assignment_rev: 1 });
    expect(run.state.status).toBe('down');
  });

  test('an older result of a region that arrives after a newer one', () => {
    const run = new MonitorRun();
    run.up(120);
    run.down(60);
    expect(run.state.status).toBe('up');
  });

  test('a result of a region that is not selected', () => {
    const run = new MonitorRun({ monitoring_regions: ['eu'] });
    run.up(1);
    run.down(60, 'us');
    expect(run.state.status).toBe('up');
  });

  test('a result during a pause', () => {
    const run = new MonitorRun();
    run.change(10, { status: 'paused' });
    run.down(60);
    expect(run.lines).toEqual(['unknown→paused@10']);
  });

  test('a single missed slot', () => {
    const run = new MonitorRun();
    run.up(1);
    run.result(61, { outcome: 'missed', missed: { reason: 'overload', count: 1 } });
    expect(run.state.status).toBe('up');
  });

  test('missed slots of an overloaded probe, until its region would count as silent', () => {
    const run = new MonitorRun({ interval_ms: SECOND, timeout_ms: 10 * SECOND });
    run.up(1);
    const miss = (at: number) => run.result(at, { outcome: 'missed', scheduled_at: HOUR + at * SECOND, missed: { reason: 'overload', count: 1 } });
    for (let at = 2; at < 28; at += 1) miss(at);
    expect(run.lines).toEqual(['unknown→up@1']);
    miss(28);
    expect(run.state.regions['eu']).toMatchObject({ verdict: 'unknown', reason: 'overload' });
  });

  test.each([[10_000, 60_001, true], [
    10_000, 60_000, false,
  ], [60_000, 120_001, true], [60_000, 120_000, false], [3_600_000, 7_199_000, false],
    [60_000, -300_000, false]])(
    'a late result: at an interval of %i ms, one taken after %i ms is late: %s', (intervalMs, age, late) => {
      expect(isLate(configOf({ interval_ms: intervalMs }), HOUR, HOUR + age)).toBe(late);
    });
});

describe('silence', () => {
  test('makes a region unknown, and a monitor with only that region', () => {
    const run = new MonitorRun();
    run.up(1);
    expect(run.silent('eu', 61)).toHaveLength(1);
    expect(run.lines).toEqual(['unknown→up@1', 'up→unknown@61']);
    expect(run.state.regions['eu']).toMatchObject({ verdict: 'unknown', reason: 'silent' });
  });

  test('neither opens nor ends an outage', () => {
    const run = new MonitorRun();
    run.down(60);
    run.silent('eu', 120);
    expect(run.state).toMatchObject({ status: 'unknown', outage: { started_at: HOUR + 60_000 } });
    run.down(600);
    run.up(660);
    expect(run.lines).toEqual([
      'unknown→down@60', 'open@60', 'monitor.down@60', 'down→unknown@120', 'unknown→down@600', 'down→up@660',
      'resolve@660', 'monitor.up@660',
    ]);
  });

  test('is ignored if a newer result is known', () => {
    const run = new MonitorRun();
    run.up(1);
    run.up(61);
    expect(run.silent('eu', 61)).toEqual([]);
  });

  test('that leaves only a failing region opens an outage dated by its failures', () => {
    const run = new MonitorRun({ quorum: 'all' });
    run.up(1, 'eu');
    run.up(2, 'us');
    run.down(122, 'us');
    expect(run.state.status).toBe('up');
    run.silent('eu', 61);
    expect(run.lines.slice(1)).toEqual(['up→down@122', 'open@122', 'monitor.down@122']);
  });

  test('of an overloaded probe does not outvote a region that sees an outage', () => {
    const run = new MonitorRun({ interval_ms: SECOND, timeout_ms: 10 * SECOND, quorum: 'all' });
    run.up(1, 'eu');
    run.up(1, 'us');
    run.down(3, 'us');
    expect(run.state.status).toBe('up');
    run.result(4, { outcome: 'missed', scheduled_at: HOUR + 4 * SECOND, missed: { reason: 'overload', count: 1 } });
    expect(run.state.status).toBe('down');
  });

  test('includes consecutive missed slots, with their reason', () => {
    const run = new MonitorRun();
    run.up(1);
    run.result(61, { outcome: 'missed', missed: { reason: 'probe_down', count: 3 } });
    expect(run.state.status).toBe('unknown');
    expect(run.state.regions['eu']?.reason).toBe('probe_down');
  });
});

describe('regions whose results arrive out of order', () => {
  test('do not end an outage with an earlier success', () => {
    const run = new MonitorRun({ quorum: 'all' });
    run.up(1, 'us');
    run.down(100, 'us');
    expect(run.state.status).toBe('down');
    run.up(70, 'eu');
    run.up(99, 'eu');
    expect(run.state.status).toBe('down');
    run.up(105, 'eu');
    expect(run.state.status).toBe('up');
  });

  test('do not open another incident with failures before the recovery', () => {
    const run = new MonitorRun({ quorum: 'majority' });
    run.down(60, 'eu');
    run.down(61, 'us');
    run.silent('ap', 62);
    run.up(120, 'us');
    expect(run.state.status).toBe('up');
    run.down(90, 'ap');
    run.down(119, 'ap');
    expect(run.state.status).toBe('up');
    expect(run.lines.filter((line) => line.startsWith('open'))).toHaveLength(1);
  });
});

describe('a configuration change', () => {
  test('that pauses the monitor ends the outage without an alert', () => {
    const run = new MonitorRun();
    run.down(60);
    run.change(90, { status: 'paused' });
    expect(run.lines.slice(3)).toEqual(['resolve@90', 'down→paused@90']);
    expect(run.state.outage).toBeNull();
  });

  test('that resumes it starts without results', () => {
    const run = new MonitorRun({ retries: 1 });
    run.up(1);
    run.down(60);
    run.change(61, { status: 'paused' });
    run.change(120, { status: 'active' });
    expect(run.state).toMatchObject({ status: 'unknown', regions: {} });
    run.down(180);
    expect(run.state.status).toBe('unknown');
  });

  test('that deletes it is the last effect', () => {
    const run = new MonitorRun();
    run.down(60);
    run.change(90, { status: 'deleted' });
    expect(run.down(120)).toEqual([]);
    expect(run.lines.at(-1)).toBe('down→paused@90');
  });

  test('that is older than the current one is ignored', () => {
    const run = new MonitorRun();
    const older = run.config;
    run.change(10, { name: 'newer' });
    expect(run.item({ kind: 'config', config: older })).toEqual([]);
    expect(run.state.config.name).toBe('newer');
  });

  test('that repeats the current one changes nothing', () => {
    const run = new MonitorRun();
    run.up(1);
    run.down(60);
    const { effects, state } = run;
    expect(run.item({ kind: 'config', config: run.config })).toEqual([]);
    expect(run.state.outage).toEqual(state.outage);
    expect(run.effects).toBe(effects);
  });

  test('that removes a region can change the verdict', () => {
    const run = new MonitorRun({ quorum: 'majority', monitoring_regions: ['eu', 'us'] });
    run.up(1, 'eu');
    run.up(2, 'us');
    run.down(60, 'us');
    run.change(90, { monitoring_regions: ['us'] });
    expect(run.state.status).toBe('down');
    expect(run.state.outage?.started_at).toBe(HOUR + 60_000);
  });
});

test('every effect of an entry has its own id, the same in every replay', () => {
  const read = (): string[] => {
    const run = new MonitorRun();
    run.down(60);
    run.up(120);
    return run.effects.map((effect) => ('change' in effect
      ? effect.change.id
      : 'opening' in effect
        ? effect.opening.id
        : 'alert' in effect
          ? effect.alert.id
          : 'resolution' in effect ? `resolves ${effect.resolution.id}` : effect.kind));
  };
  expect(read()).toEqual(read());
  expect(new Set(read()).size).toBe(6);
});
