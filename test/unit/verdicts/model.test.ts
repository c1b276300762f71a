import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MonitorConfig } from '../../../controller/verdicts/monitor-config.ts';
import type { MonitorEffect } from '../../../controller/verdicts/monitor-state.ts';
import { HOUR } from '../results/build.ts';
import { MonitorRun } from './build.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

type Step =
  | { kind: 'result'; region: string; ok: boolean; gap: number; back: number; late: boolean }
  | { kind: 'silent'; region: string; back: number }
  | { kind: 'pause' | 'resume' | 'edit' | 'hour'; gap: number };

const region = fc.constantFrom('eu', 'us', 'ap');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({
    kind: fc.constant('result' as const), region, ok: fc.boolean(), gap: fc.integer({ min: 0, max: 90 }),
    back: fc.integer({ min: 0, max: 150 }), late: fc.boolean(),
  }) },
  { weight: 2, arbitrary: fc.record({
    kind: fc.constant('silent' as const), region, back: fc.integer({ min: 0, max: 300 }),
  }) },
  { weight: 1, arbitrary: fc.record({
    kind: fc.constantFrom('pause' as const, 'resume' as const, 'edit' as const, 'hour' as const),
    gap: fc.integer({ min: 0, max: 4000 }),
  }) },
);

const scripts = fc.record({
  quorum: fc.constantFrom('any' as const, 'all' as const, 'majority' as const, 2),
  retries: fc.integer({ min: 0, max: 2 }),
  recoveries: fc.integer({ min: 0, max: 3 }),
  steps: fc.array(step, { maxLength: 120 }),
});

function play(
  { steps, ...policy }: Pick<MonitorConfig, 'quorum' | 'retries' | 'recoveries'> & { steps: Step[] },
  check: (run: MonitorRun) => void,
): MonitorRun {
  const run = new MonitorRun(policy);
  let now = 100;
  for (const each of steps) {
    if ('gap' in each) now += each.gap;
    if (each.kind === 'result') {
      run.result(
        Math.max(1, now - each.back),
        { region: each.region, late: each.late, outcome: each.ok ? 'success' : 'failure' },
      );
    } else if (each.kind === 'silent') run.silent(each.region, now - each.back);
    else if (each.kind === 'pause') run.change(now, { status: 'paused' });
    else if (each.kind === 'resume') run.change(now, { status: 'active' });
    else if (each.kind === 'edit') run.change(now, { name: `at ${now}` });
    else run.closeHour(Math.floor(now / 3600));
    check(run);
  }
  return run;
}

/**
 * Incidents are sequential: each is opened and alerted down, then resolved and alerted up at most once. Only flapping holds
 * alerts.
 */
function checkIncidentOrder(effects: MonitorEffect[]): void {
  const late = new Set<string>();
  let open: string | null = null;
  let hasAlertedDown = false;
  let hasFlapped = false;
  let status: string | null = null;
  for (const effect of effects) {
    if (effect.kind === 'status') {
      if (status !== null) expect(effect.change.from).toBe(status);
      expect(effect.change.to).not.toBe(effect.change.from);
      status = effect.change.to;
    } else if (effect.kind === 'open' && effect.opening.late) {
      late.add(effect.opening.id);
    } else if (effect.kind === 'resolve' && late.delete(effect.resolution.id)) {
      // A late incident is resolved when it is reported.
    } else if (effect.kind === 'open') {
      expect(open).toBeNull();
      open = effect.opening.id;
      hasAlertedDown = false;
    } else if (effect.kind === 'alert' && effect.alert.event === 'monitor.down') {
      expect(effect.alert.incident?.id).toBe(open);
      expect(hasAlertedDown).toBe(false);
      hasAlertedDown = true;
      hasFlapped ||= effect.alert.flapping !== undefined;
    } else if (effect.kind === 'resolve') {
      expect(effect.resolution.id).toBe(open);
      expect(hasAlertedDown || hasFlapped).toBe(true);
      open = null;
    } else if (effect.kind === 'alert') {
      expect(effect.alert.event).toBe('monitor.up');
      expect(open).toBeNull();
    }
  }
}

test('any sequence of events yields one incident at a time, in order, and consistent times', () => {
  fc.assert(fc.property(scripts, (script) => {
    let since = 0;
    let until = 0;
    const run = play(script, ({ state }) => {
      expect(state.since).toBeGreaterThanOrEqual(since);
      expect(state.accounted_until).toBeGreaterThanOrEqual(until);
      ({ since, accounted_until: until } = state);
      if (state.status === 'down') expect(state.outage).not.toBeNull();
      if (state.status === 'up' || state.status === 'degraded' || state.status === 'paused') {
        expect(state.outage).toBeNull();
      }
      for (const [hour, times] of Object.entries(state.accounted)) {
        expect(Math.min(...times)).toBeGreaterThanOrEqual(0);
        expect(times[0] + times[1] + times[2]).toBeLessThanOrEqual(3_600_000);
        expect(Number(hour)).toBeGreaterThanOrEqual(HOUR);
      }
    });
    checkIncidentOrder(run.effects);
  }), { numRuns: fewOrAll(130, 400) });
});

test('the rules never modify the state they are given', () => {
  fc.assert(fc.property(scripts, (script) => {
    let before = '';
    let held: unknown = null;
    play(script, (run) => {
      if (held !== null) expect(JSON.stringify(held)).toBe(before);
      held = run.state;
      before = JSON.stringify(run.state);
    });
  }), { numRuns: 60 });
});
