import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  alertsHeldUntil, isInMaintenance, mergeMaintenance, maintenanceIn,
} from '../../../../controller/verdicts/time-accounting/maintenance-rules.ts';
import type { MaintenanceRange } from '../../../../controller/verdicts/monitor-config.ts';
import { configOf, HOUR } from '../../results/build.ts';
import { MINUTE, MonitorRun, SECOND } from '../build.ts';

const at = (minute: number): number => HOUR + minute * MINUTE;

/** Minutes of the test's hour. */
function range(from: number, until: number, holds_alerts = true): MaintenanceRange {
  return { from: at(from), until: at(until), holds_alerts };
}

/** Minutes of the first hour as up, degraded and down, and their maintenance part. */
function minutes(run: MonitorRun): { accounted: number[]; maintained: number[] } {
  const inMinutes = (times: number[] = [0, 0, 0]) => times.map((ms) => ms / MINUTE);
  return { accounted: inMinutes(run.state.accounted[HOUR]), maintained: inMinutes(run.state.maintained?.[HOUR]) };
}

describe('maintenance ranges', () => {
  const maintenance = [range(10, 20), range(15, 30), range(30, 40, false), range(50, 60)];

  test('include their start and not their end', () => {
    expect([9, 10, 39, 40, 50].map((minute) => isInMaintenance({ maintenance }, at(minute)))).toEqual(
      [false, true, true, false, true],
    );
  });

  test('that hold alerts hold them until the last overlapping one ends', () => {
    expect(alertsHeldUntil({ maintenance }, at(12))).toBe(at(30));
    expect(alertsHeldUntil({ maintenance }, at(35))).toBe(at(35));
    expect(alertsHeldUntil({ maintenance }, at(5))).toBe(at(5));
    expect(alertsHeldUntil({}, at(5))).toBe(at(5));
  });

  test('overlap a time range in parts, each once', () => {
    expect(maintenanceIn({ maintenance }, at(0), at(55))).toEqual([
      [at(10), at(20)], [at(20), at(30)], [at(30), at(40)], [at(50), at(55)],
    ]);
  });

  test('cover each maintenance time once, in any combination', () => {
    const one = fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 20 }));
    const some = fc.array(one, { maxLength: 8 });
    fc.assert(fc.property(some, (lengths) => {
      const all = lengths.map(([from, length]) => range(from, from + length))
        .sort((one, other) => one.from - other.from);
      const parts = maintenanceIn({ maintenance: all }, at(5), at(50));
      for (let minute = 5; minute < 50; minute += 1) {
        const of = parts.filter(([from, until]) => from <= at(minute) && at(minute) < until).length;
        expect(of).toBe(isInMaintenance({ maintenance: all }, at(minute)) ? 1 : 0);
      }
    }));
  });
});

describe('a changed configuration', () => {
  const before = { ...configOf(), maintenance: [range(10, 40)] };
  const changed = (maintenance: MaintenanceRange[], minute = 20) =>
    mergeMaintenance(before, { ...configOf(), maintenance, changed_at: at(minute) }).maintenance;

  test('continues a range that it also has', () => {
    expect(changed([range(10, 40)])).toEqual([range(10, 40)]);
  });

  test('ends or extends a range from now on, without changing the past', () => {
    expect(changed([])).toEqual([range(10, 20)]);
    expect(changed([range(0, 50)])).toEqual([range(10, 50)]);
    expect(changed([range(10, 40, false)])).toEqual([range(10, 20), range(20, 40, false)]);
  });

  test('drops ranges that ended over a week ago', () => {
    expect(changed([], 40 + 7 * 24 * 60)).toEqual([]);
    expect(changed([], 39 + 7 * 24 * 60)).toEqual([range(10, 40)]);
  });
});

describe('maintenance time is accounted separately', () => {
  const maintenance = [range(10, 20), range(30, 40, false)];

  test('with the same statuses as all time', () => {
    const run = new MonitorRun({ maintenance });
    for (let minute = 0; minute < 60; minute += 1) {
      const isDown = minute >= 15 && minute < 25;
      run.result(minute * 60 + 0.001, { outcome: isDown ? 'failure' : 'success' });
    }
    run.closeHour(1);
    const { accounted, maintained } = minutes(run);
    expect(accounted[2]).toBeCloseTo(10, 3);
    expect(maintained.map((value) => Math.round(value))).toEqual([15, 0, 5]);
  });

  test('even if an outage is confirmed later than it began', () => {
    const run = new MonitorRun({ retries: 3, maintenance });
    for (let minute = 0; minute < 60; minute += 1) {
      run.result(minute * 60 + 0.001, { outcome: minute >= 18 && minute < 35 ? 'failure' : 'success' });
    }
    run.closeHour(1);
    expect(minutes(run).maintained.map((value) => Math.round(value))).toEqual([13, 0, 7]);
  });

  test('and never exceeds the accounted time or the maintenance of the hour', () => {
    const outcome = fc.constantFrom('success', 'failure', 'missed', 'silence');
    fc.assert(fc.property(fc.array(outcome, { minLength: 60, maxLength: 60 }), (outcomes) => {
      const run = new MonitorRun({ retries: 1, maintenance });
      outcomes.forEach((each, minute) => {
        if (each !== 'silence') run.result(minute * 60 + 0.001, { outcome: each });
      });
      run.closeHour(1);
      const accounted = run.state.accounted[HOUR] ?? [0, 0, 0];
      const apart = run.state.maintained?.[HOUR] ?? [0, 0, 0];
      apart.forEach((ms, column) => {
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThanOrEqual((accounted[column] as number) + SECOND / 100);
      });
      expect(apart[0] + apart[1] + apart[2]).toBeLessThanOrEqual(20 * MINUTE);
    }));
  });
});
