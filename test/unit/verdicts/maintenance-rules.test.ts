import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  heldUntil, isInMaintenance, keepMaintenance, maintenanceIn,
} from '../../../controller/verdicts/maintenance-rules.ts';
import type { MaintenanceStretch } from '../../../controller/verdicts/monitor-config.ts';
import { configOf, HOUR } from '../results/build.ts';
import { MINUTE, MonitorRun, SECOND } from './build.ts';

const at = (minute: number): number => HOUR + minute * MINUTE;

/** Minutes of the test's hour. */
function stretch(from: number, until: number, holds_alerts = true): MaintenanceStretch {
  return { from: at(from), until: at(until), holds_alerts };
}

/** Minutes of the first hour as up, degraded and down; and those of them that were maintenance. */
function minutes(run: MonitorRun): { booked: number[]; maintained: number[] } {
  const inMinutes = (times: number[] = [0, 0, 0]) => times.map((ms) => ms / MINUTE);
  return { booked: inMinutes(run.state.booked[HOUR]), maintained: inMinutes(run.state.maintained?.[HOUR]) };
}

describe('stretches of maintenance', () => {
  const maintenance = [stretch(10, 20), stretch(15, 30), stretch(30, 40, false), stretch(50, 60)];

  test('include their start and not their end', () => {
    expect([9, 10, 39, 40, 50].map((minute) => isInMaintenance({ maintenance }, at(minute)))).toEqual(
      [false, true, true, false, true],
    );
  });

  test('that hold alerts hold them until the last of those that overlap is over', () => {
    expect(heldUntil({ maintenance }, at(12))).toBe(at(30));
    expect(heldUntil({ maintenance }, at(35))).toBe(at(35));
    expect(heldUntil({ maintenance }, at(5))).toBe(at(5));
    expect(heldUntil({}, at(5))).toBe(at(5));
  });

  test('overlap with a time as its parts, each once', () => {
    expect(maintenanceIn({ maintenance }, at(0), at(55))).toEqual([
      [at(10), at(20)], [at(20), at(30)], [at(30), at(40)], [at(50), at(55)],
    ]);
  });

  test('cover each instant of maintenance once, whatever they are', () => {
    const one = fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 20 }));
    const some = fc.array(one, { maxLength: 8 });
    fc.assert(fc.property(some, (given) => {
      const all = given.map(([from, length]) => stretch(from, from + length))
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
  const known = { ...configOf(), maintenance: [stretch(10, 40)] };
  const changed = (maintenance: MaintenanceStretch[], minute = 20) =>
    keepMaintenance(known, { ...configOf(), maintenance, changed_at: at(minute) }).maintenance;

  test('goes on with a stretch that it also has', () => {
    expect(changed([stretch(10, 40)])).toEqual([stretch(10, 40)]);
  });

  test('ends or prolongs a stretch from now on, and leaves the past as it was', () => {
    expect(changed([])).toEqual([stretch(10, 20)]);
    expect(changed([stretch(0, 50)])).toEqual([stretch(10, 50)]);
    expect(changed([stretch(10, 40, false)])).toEqual([stretch(10, 20), stretch(20, 40, false)]);
  });

  test('forgets what was over a week ago', () => {
    expect(changed([], 40 + 7 * 24 * 60)).toEqual([]);
    expect(changed([], 39 + 7 * 24 * 60)).toEqual([stretch(10, 40)]);
  });
});

describe('time in maintenance is booked apart', () => {
  const maintenance = [stretch(10, 20), stretch(30, 40, false)];

  test('in the same statuses as all time', () => {
    const run = new MonitorRun({ maintenance });
    for (let minute = 0; minute < 60; minute += 1) {
      const isDown = minute >= 15 && minute < 25;
      run.result(minute * 60 + 0.001, { outcome: isDown ? 'failure' : 'success' });
    }
    run.closeHour(1);
    const { booked, maintained } = minutes(run);
    expect(booked[2]).toBeCloseTo(10, 3);
    expect(maintained.map((value) => Math.round(value))).toEqual([15, 0, 5]);
  });

  test('also where an outage is confirmed later than it began', () => {
    const run = new MonitorRun({ retries: 3, maintenance });
    for (let minute = 0; minute < 60; minute += 1) {
      run.result(minute * 60 + 0.001, { outcome: minute >= 18 && minute < 35 ? 'failure' : 'success' });
    }
    run.closeHour(1);
    expect(minutes(run).maintained.map((value) => Math.round(value))).toEqual([13, 0, 7]);
  });

  test('and is never more than what is booked, nor than the maintenance of the hour', () => {
    const outcome = fc.constantFrom('success', 'failure', 'missed', 'silence');
    fc.assert(fc.property(fc.array(outcome, { minLength: 60, maxLength: 60 }), (outcomes) => {
      const run = new MonitorRun({ retries: 1, maintenance });
      outcomes.forEach((each, minute) => {
        if (each !== 'silence') run.result(minute * 60 + 0.001, { outcome: each });
      });
      run.closeHour(1);
      const booked = run.state.booked[HOUR] ?? [0, 0, 0];
      const apart = run.state.maintained?.[HOUR] ?? [0, 0, 0];
      apart.forEach((ms, column) => {
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThanOrEqual((booked[column] as number) + SECOND / 100);
      });
      expect(apart[0] + apart[1] + apart[2]).toBeLessThanOrEqual(20 * MINUTE);
    }));
  });
});
