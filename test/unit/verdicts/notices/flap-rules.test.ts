import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FLAP_DOWNS, flapWindowMs } from '../../../../controller/verdicts/notices/held-alert-rules.ts';
import type { MonitorEffect } from '../../../../controller/verdicts/monitor-state.ts';
import { MonitorRun } from '../build.ts';
import { fewOrAll } from '../../../helpers/few-or-all.ts';

const alerts = (run: MonitorRun) =>
  run.effects.flatMap((effect: MonitorEffect) => (effect.kind === 'alert' ? [effect.alert] : []));
const events = (run: MonitorRun): string[] =>
  alerts(run).map((alert) => `${alert.event}${alert.flapping ? ' flapping' : ''}`);

/** Repeats a minute down and a minute up; returns its end. */
function flap(run: MonitorRun, times: number, from = 60): number {
  let at = from;
  for (let time = 0; time < times; time += 1) {
    run.down(at);
    run.up(at + 60);
    at += 120;
  }
  return at;
}

describe('a flapping monitor', () => {
  test('causes one flapping alert, then none until it is stable', () => {
    const run = new MonitorRun();
    run.up(1);
    const at = flap(run, 12);
    expect(events(run)).toEqual([
      ...Array.from({ length: FLAP_DOWNS - 1 }, () => ['monitor.down', 'monitor.up']).flat(),
      'monitor.down flapping',
    ]);
    expect(alerts(run).at(-1)?.flapping).toEqual({ downs: 5, window_ms: 40 * 60_000 });
    for (let minute = 0; minute < 10; minute += 1) run.up(at + minute * 60);
    expect(events(run).at(-1)).toBe('monitor.up');
    expect(alerts(run).filter((alert) => alert.event === 'monitor.up')).toHaveLength(FLAP_DOWNS);
    const [last] = run.effects.filter((effect) => effect.kind === 'resolve').slice(-1);
    expect(alerts(run).at(-1)?.incident?.id).toBe(last?.kind === 'resolve' ? last.resolution.id : null);
    expect(run.state.flaps).toBeNull();
  });

  test('still gets every incident and its history', () => {
    const run = new MonitorRun();
    run.up(1);
    flap(run, 12);
    expect(run.effects.filter((effect) => effect.kind === 'open')).toHaveLength(12);
    expect(run.effects.filter((effect) => effect.kind === 'resolve')).toHaveLength(12);
  });

  test('that stays down causes no further alert until it recovers', () => {
    const run = new MonitorRun();
    run.up(1);
    const at = flap(run, 6);
    for (let minute = 0; minute < 15; minute += 1) run.down(at + minute * 60);
    const before = events(run).length;
    run.up(at + 15 * 60);
    expect(events(run).slice(before)).toEqual(['monitor.up']);
  });

  test('with outages far apart causes every alert', () => {
    const run = new MonitorRun();
    run.up(1);
    for (let time = 0; time < 10; time += 1) {
      run.down(60 + time * 1200);
      run.up(120 + time * 1200);
    }
    expect(events(run)).toHaveLength(20);
  });

  test('starts over when it is resumed after a pause', () => {
    const run = new MonitorRun();
    run.up(1);
    const at = flap(run, 8);
    run.change(at, { status: 'paused' });
    run.change(at + 10, { status: 'active' });
    run.up(at + 60);
    const before = events(run).length;
    run.down(at + 120);
    expect(events(run).slice(before)).toEqual(['monitor.down']);
  });
});

test.each([
  [1_000, 60_000], [30_000, 1_200_000], [60_000, 2_400_000], [86_400_000, 10_800_000],
])('at an interval of %i ms the flap window is %i ms', (interval_ms, windowMs) => {
  expect(flapWindowMs({ interval_ms })).toBe(windowMs);
});

test('any sequence of results has a limited number of alerts per window, and an alerted outage ends with a recovery', () => {
  const gaps =
    fc.array(fc.record({ ok: fc.boolean(), gap: fc.integer({ min: 1, max: 600 }) }), { maxLength: 150 });
  fc.assert(fc.property(gaps, (steps) => {
    const run = new MonitorRun();
    let now = 1;
    for (const { ok, gap } of steps) {
      now += gap;
      if (ok) run.up(now);
      else run.down(now);
    }
    for (let minute = 0; minute < 60; minute += 1) run.up(now + 60 + minute * 60);
    const sent = alerts(run);
    for (const alert of sent) {
      const near = sent.filter((other) => other.event === 'monitor.down' && other.at <= alert.at &&
        other.at > alert.at - flapWindowMs(run.config));
      expect(near.length).toBeLessThanOrEqual(FLAP_DOWNS + 1);
    }
    expect(sent.at(-1)?.event ?? 'monitor.up').toBe('monitor.up');
    expect(run.state.flaps?.held ?? null).toBeNull();
  }), { numRuns: fewOrAll(100, 300) });
});
