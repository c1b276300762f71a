import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toStateDoc, toStateRecord } from '../../../../controller/results/writing/state-store.ts';
import { applyItem, newMonitorState } from '../../../../controller/verdicts/monitor-rules.ts';
import type { MonitorEffect, MonitorItem, MonitorState } from '../../../../controller/verdicts/monitor-state.ts';
import { releaseAt } from '../../../../controller/verdicts/notices/held-alert-rules.ts';
import { configOf, HOUR, resultOf } from '../../results/build.ts';
import { MINUTE, MonitorRun, SECOND } from '../build.ts';

/** From the tenth to the twentieth minute. */
const WINDOW = { from: HOUR + 10 * MINUTE, until: HOUR + 20 * MINUTE, holds_alerts: true };

/** Up until the window begins. */
function inWindow(overrides: Parameters<typeof configOf>[0] = {}): MonitorRun {
  const run = new MonitorRun({ maintenance: [WINDOW], ...overrides });
  for (let at = 1; at < 600; at += 60) run.up(at);
  run.effects = [];
  return run;
}

const alerts = (run: MonitorRun): string[] => run.lines.filter((each) => each.startsWith('monitor.'));

const over = (run: MonitorRun, atSeconds: number): MonitorEffect[] =>
  run.item(overAt(atSeconds));

describe('an outage in maintenance', () => {
  test('that also ends in it causes no alert, and its incident is marked', () => {
    const run = inWindow();
    run.down(660);
    run.up(720);
    for (let at = 780; at < 1500; at += 60) run.up(at);
    expect(alerts(run)).toEqual([]);
    const [opened] = run.effects.filter((effect) => effect.kind === 'open');
    expect(opened).toMatchObject({ opening: { maintenance_until: WINDOW.until } });
    expect(run.lines).toContain('resolve@720');
    expect(run.state.withheld).toBeNull();
  });

  test('that outlasts it is alerted once, by the first result after the end', () => {
    const run = inWindow();
    for (let at = 660; at < 1500; at += 60) run.down(at);
    expect(alerts(run)).toEqual(['monitor.down@660']);
    run.up(1500);
    expect(alerts(run)).toEqual(['monitor.down@660', 'monitor.up@1500']);
  });

  test('is alerted by the clock if no result arrives', () => {
    const run = inWindow();
    run.down(660);
    expect(releaseAt(run.state)).toBe(WINDOW.until);
    const began = { to: 'down', in_maintenance: true, reason: 'maintenance began' };
    expect(over(run, 1199)).toMatchObject([{ kind: 'status', change: began }]);
    const [, alert] = over(run, 1200);
    expect(alert).toMatchObject({ kind: 'alert', alert: { event: 'monitor.down', regions: ['eu'] } });
    expect(over(run, 1201)).toEqual([]);
    expect(releaseAt(run.state)).toBeNull();
  });

  test('is not alerted by an hour that ended before it, nor by another region that reports late', () => {
    const run = inWindow();
    run.down(660);
    run.silent('us', 300);
    run.up(590, 'us');
    run.item({ kind: 'hour', until: HOUR + 590 * SECOND });
    expect(alerts(run)).toEqual([]);
    expect(run.state.withheld).not.toBeNull();
  });

  test('is alerted at once when the window is removed', () => {
    const run = inWindow();
    run.down(660);
    run.change(700, { maintenance: [], check_revision: run.config.check_revision });
    expect(alerts(run)).toEqual(['monitor.down@660']);
  });

  test('that a pause ends is never alerted', () => {
    const run = inWindow();
    run.down(660);
    run.change(700, { status: 'paused' });
    over(run, 1300);
    expect(alerts(run)).toEqual([]);
  });

  test('is alerted at once if the window does not hold alerts', () => {
    const run = inWindow({ maintenance: [{ ...WINDOW, holds_alerts: false }] });
    run.down(660);
    expect(alerts(run)).toEqual(['monitor.down@660']);
    expect(run.effects.find((effect) => effect.kind === 'open')).toMatchObject({
      opening: { maintenance_until: WINDOW.until },
    });
  });

  test('that is confirmed only after it is alerted then', () => {
    const run = inWindow({ retries: 2 });
    for (let at = 1140; at < 1300; at += 60) run.down(at + 1);
    expect(alerts(run)).toEqual(['monitor.down@1141']);
    expect(run.effects.some((effect) => effect.kind === 'open' && effect.opening.maintenance_until)).toBe(false);
  });
});

describe('an outage alerted before maintenance', () => {
  test('is resolved with an alert at once, even in maintenance', () => {
    const run = new MonitorRun({ maintenance: [WINDOW] });
    run.up(1);
    run.down(540);
    run.up(660);
    expect(alerts(run)).toEqual(['monitor.down@540', 'monitor.up@660']);
    run.down(720);
    run.up(780);
    expect(alerts(run)).toHaveLength(2);
  });
});

describe('other alerts in maintenance', () => {
  test('of slow responses and of time without data are withheld too', () => {
    const slow = inWindow({ slow_response_threshold_ms: 10 });
    for (let at = 660; at < 1320; at += 60) slow.result(at, { degraded: true, response_time_ms: 900 });
    expect(alerts(slow)).toEqual(['monitor.slow_response@660']);
    const silent = inWindow();
    silent.silent('eu', 700);
    silent.item({ kind: 'no_data', at: HOUR + 1000 * SECOND });
    expect(alerts(silent)).toEqual([]);
    over(silent, 1200);
    expect(alerts(silent)).toHaveLength(1);
  });

  test('of one region follow afterwards, once, if it is still down', () => {
    const run = new MonitorRun({ maintenance: [WINDOW], quorum: 'all' });
    const checkBoth = (at: number, us: 'up' | 'down') => {
      run[us](at, 'us');
      run.up(at + 1, 'eu');
    };
    for (let at = 1; at < 1500; at += 60) checkBoth(at, at > 660 ? 'down' : 'up');
    expect(run.degraded).toHaveLength(1);
    expect(run.degraded[0]?.regions).toEqual(['us']);
    const recovered = new MonitorRun({ maintenance: [WINDOW], quorum: 'all' });
    for (let at = 1; at < 1500; at += 60) {
      recovered[at > 660 && at < 1000 ? 'down' : 'up'](at, 'us');
      recovered.up(at + 1, 'eu');
    }
    expect(recovered.degraded).toEqual([]);
  });

  test('of expiring domains are sent as usual', () => {
    const run = inWindow();
    run.change(700, { domain_warning_days: [30], domain_expires_at: HOUR + 86_400_000 });
    expect(alerts(run)).toEqual(['monitor.domain_expiring@700']);
  });
});

test('a flapping monitor stops flapping with a recovery, in maintenance or not', () => {
  const run = new MonitorRun({ maintenance: [WINDOW] });
  run.up(1);
  for (let at = 60; at < 560; at += 100) {
    run.down(at);
    run.up(at + 50);
  }
  expect(run.state.flaps?.held).not.toBeNull();
  run.down(660);
  run.up(700);
  for (let at = 760; at < 2400; at += 60) run.up(at);
  expect(alerts(run).filter((each) => each.startsWith('monitor.down'))).toHaveLength(5);
  expect(alerts(run).at(-1)).toBe('monitor.up@700');
  expect(run.state.flaps).toBeNull();
});

const overAt = (seconds: number): MonitorItem => ({ kind: 'maintenance', at: HOUR + seconds * SECOND });

describe('in any sequence of events', () => {
  const outcome = fc.constantFrom<'success' | 'failure' | 'missed'>('success', 'failure', 'missed');
  const config = configOf({ retries: 0, quorum: 'any', maintenance: [WINDOW] });
  const items = fc.array(fc.oneof(
    fc.record({ at: fc.integer({ min: 0, max: 2000 }), outcome, region: fc.constantFrom('eu', 'us') })
      .map(({ at, outcome: each, region }): MonitorItem => ({
        kind: 'result', region, probe_id: region, engine: '', late: false,
        result: resultOf(config, { started_at: HOUR + at * SECOND, outcome: each }),
      })),
    fc.integer({ min: 0, max: 2000 }).map(overAt),
  ), { maxLength: 40 }).map((all) => [...all, overAt(3000)]);

  function run(all: MonitorItem[], reload: (state: MonitorState) => MonitorState): MonitorEffect[] {
    let state = newMonitorState(config);
    return all.flatMap((item, n) => {
      const step = applyItem(reload(state), item, { n, index: 0 });
      ({ state } = step);
      return step.effects;
    });
  }

  test('a replay from the stored state makes the same decisions with the same ids', () => {
    const stored = (state: MonitorState): MonitorState => toStateRecord(JSON.parse(JSON.stringify(
      toStateDoc({ monitor_id: 'm', shard: 1, position: 1, state, outbox: [] }),
    )) as ReturnType<typeof toStateDoc>).state;
    fc.assert(fc.property(items, (all) => {
      expect(run(all, stored)).toEqual(run(all, (state) => state));
    }));
  });

  test('no two effects of an entry have the same id, even if some were withheld', () => {
    const whole = configOf({ retries: 0, quorum: 'all', maintenance: [WINDOW], assigned: ['eu', 'us'] });
    fc.assert(fc.property(items, (all) => {
      let state = newMonitorState(whole);
      let index = 0;
      const ids = all.flatMap((item) => {
        const step = applyItem(state, item, { n: 1, index });
        ({ state } = step);
        index += step.effects.length + step.omitted;
        return step.effects.flatMap((effect) => {
          if (effect.kind === 'region' || effect.kind === 'status') return effect.change.id;
          return effect.kind === 'alert' ? effect.alert.id : [];
        });
      });
      expect(new Set(ids).size).toBe(ids.length);
    }));
  });

  test('each outage is alerted at most once, and its end exactly if its start was', () => {
    fc.assert(fc.property(items, (all) => {
      const effects = run(all, (state) => state);
      const alerted = effects.flatMap((effect) => (effect.kind === 'alert' && effect.alert.incident
        ? [`${effect.alert.event} ${effect.alert.incident.id}`] : []));
      expect(new Set(alerted).size).toBe(alerted.length);
      const over = effects.flatMap((effect) => (effect.kind === 'resolve' ? [effect.resolution.id] : []));
      const flapped = effects.some((effect) => effect.kind === 'alert' && effect.alert.flapping);
      if (flapped) return;
      for (const id of over) {
        expect(alerted.includes(`monitor.up ${id}`)).toBe(alerted.includes(`monitor.down ${id}`));
      }
      const open = effects.flatMap((effect) => (effect.kind === 'open' ? [effect.opening.id] : []))
        .filter((id) => !over.includes(id));
      for (const id of open) expect(alerted).toContain(`monitor.down ${id}`);
    }));
  });
});
