import { describe, expect, test } from 'vitest';
import { HOUR } from '../../results/build.ts';
import { MonitorRun } from '../build.ts';

const DAY_S = 86_400;
const atDay = (day: number): number => HOUR + day * DAY_S * 1000;

function warnings(run: MonitorRun): string[] {
  return run.effects.flatMap((effect) => (effect.kind === 'alert' && effect.alert.expiry
    ? [`${effect.alert.event} ${effect.alert.expiry.days}`]
    : []));
}

describe('an expiring domain registration', () => {
  const learned = (day: number, domain_expires_at: number | null) => {
    const run = new MonitorRun({ domain_warning_days: [30, 14] });
    run.change(day * DAY_S, { check_revision: 1, domain_expires_at });
    return run;
  };

  test('causes one warning per threshold, as hours pass', () => {
    const run = learned(0, atDay(60));
    for (let hour = 1; hour <= 60 * 24; hour += 1) run.closeHour(hour);
    expect(run.lines.filter((line) => line.startsWith('monitor.domain'))).toEqual([
      `monitor.domain_expiring@${30 * DAY_S}`, `monitor.domain_expiring@${46 * DAY_S}`,
    ]);
    expect(run.effects.filter((effect) => effect.kind === 'open')).toEqual([]);
  });

  test('causes a warning at once when learned late, and none by other changes', () => {
    const run = learned(0, atDay(10));
    expect(warnings(run)).toEqual(['monitor.domain_expiring 14']);
    run.change(5, { name: 'renamed' });
    run.closeHour(1);
    expect(warnings(run)).toEqual(['monitor.domain_expiring 14']);
  });

  test('causes new warnings once it is renewed', () => {
    const run = learned(0, atDay(10));
    run.change(DAY_S, { domain_expires_at: atDay(375) });
    run.closeHour(344 * 24);
    run.closeHour(345 * 24);
    expect(warnings(run)).toEqual(['monitor.domain_expiring 14', 'monitor.domain_expiring 30']);
  });

  test('causes none during a pause, and one when the monitor resumes', () => {
    const run = learned(0, atDay(100));
    run.change(DAY_S, { status: 'paused' });
    run.closeHour(95 * 24);
    expect(warnings(run)).toEqual([]);
    run.change(96 * DAY_S, { status: 'active' });
    expect(warnings(run)).toEqual(['monitor.domain_expiring 14']);
  });

  test('cannot be invented or changed by probe data', () => {
    const run = learned(0, atDay(60));
    run.result(1, { detail: { domain_expires_at: atDay(3) } });
    run.result(50 * DAY_S, { detail: { domain_expires_at: atDay(50) } });
    expect(warnings(run)).toEqual([]);
  });
});
