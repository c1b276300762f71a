import { describe, expect, test } from 'vitest';
import { MonitorRun } from '../build.ts';

function slowRun(config: ConstructorParameters<typeof MonitorRun>[0] = {}): MonitorRun {
  const run = new MonitorRun({ retries: 1, slow_response_threshold_ms: 500, ...config });
  run.up(1);
  run.effects = [];
  return run;
}

const slow = { degraded: true, response_time_ms: 812.4 };

describe('a period of slow responses', () => {
  test('makes the monitor degraded at once, and opens its own incident with an alert when confirmed', () => {
    const run = slowRun();
    run.result(60, slow);
    expect(run.lines).toEqual(['up→degraded@60']);
    run.result(120, slow);
    run.result(180, slow);
    expect(run.lines.slice(1)).toEqual(['open@60', 'monitor.slow_response@60']);
    const open = run.effects.find((effect) => effect.kind === 'open');
    expect(open).toMatchObject({ opening: {
      type: 'slow_response', severity: 'warning', error_message: 'Response took 812 ms, slower than 500 ms',
      affected_regions: ['eu'],
    } });
    run.up(240);
    expect(run.lines.slice(3)).toEqual([
      'degraded→up@240', 'resolve@240', 'monitor.slow_response_resolved@240',
    ]);
    expect(run.state.slow).toBeNull();
  });

  test('opens an incident of the monitor\'s own severity, like an outage', () => {
    const run = slowRun({ retries: 0, alert_severity: 'major' });
    run.result(60, slow);
    run.result(120, { outcome: 'failure', error: { type: 'timeout', message: 'No response' } });
    const severities = run.effects.flatMap((effect) => (effect.kind === 'open' ? effect.opening.severity
      : effect.kind === 'alert' ? effect.alert.severity : []));
    expect(severities).toEqual(['major', 'major', 'major', 'major']);
  });

  test('of one response opens no incident', () => {
    const run = slowRun();
    run.result(60, slow);
    run.up(120);
    run.result(180, slow);
    run.up(240);
    expect(run.lines).toEqual(['up→degraded@60', 'degraded→up@120', 'up→degraded@180', 'degraded→up@240']);
  });

  test('ends without an alert when the monitor goes down, which alerts as usual', () => {
    const run = slowRun({ retries: 0 });
    run.result(60, slow);
    run.down(120);
    expect(run.lines.slice(3)).toEqual(['degraded→down@120', 'open@120', 'monitor.down@120', 'resolve@120']);
    run.result(180, slow);
    expect(run.lines.slice(7)).toEqual([
      'down→degraded@180', 'resolve@180', 'monitor.up@180', 'open@180', 'monitor.slow_response@180',
    ]);
    const ids = run.effects.filter((effect) => effect.kind === 'open').map((effect) => effect.opening.id);
    expect(new Set(ids).size).toBe(3);
  });

  test('continues without new results, and ends without an alert at a pause', () => {
    const run = slowRun({ retries: 0 });
    run.result(60, slow);
    run.silent('eu', 200);
    expect(run.state).toMatchObject({ status: 'unknown' });
    expect(run.state.slow).not.toBeNull();
    run.change(300, { status: 'paused' });
    expect(run.lines.slice(3)).toEqual(['degraded→unknown@200', 'unknown→paused@300', 'resolve@300']);
  });

  test('in one region of three does not degrade the monitor', () => {
    const run = slowRun({ retries: 0 });
    run.up(2, 'us');
    run.up(3, 'ap');
    run.result(60, slow);
    expect(run.lines).toEqual([]);
  });
});
