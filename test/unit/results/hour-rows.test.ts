import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HourRows } from '../../../controller/results/hours/hour-rows.ts';
import { storedResult } from './arbitrary.ts';
import { HOUR, storedOf } from './build.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

const SOURCE = { region: 'eu', probe_id: 'probe', late: false };
const entries = fc.array(
  fc.record({ step: fc.integer({ min: 0, max: 3 }), row: storedResult }), { minLength: 1, maxLength: 60 },
);

describe('the rows of an hour in memory', () => {
  test('are returned in the order added, for any range of journal entries', () => {
    fc.assert(fc.property(entries, fc.integer({
      min: 0, max: 40,
    }), fc.integer({ min: 0, max: 40 }), (added, from, more) => {
      let entry = 10;
      const existing = added.map(({ step, row }) => ({ entry: (entry += step), row }));
      const rows = new HourRows(HOUR, existing[0]?.entry ?? 0);
      for (const { entry: of, row } of existing) rows.add(of, row, row);
      expect(rows.after(0)).toEqual(existing.map(({ row }) => row));
      expect(rows.after(from, from + more)).toEqual(
        existing.filter(({ entry: of }) => of > from && of <= from + more).map(({ row }) => row),
      );
      const rest = rows.rowsAfter(from);
      expect(rest?.after(0) ?? []).toEqual(rows.after(from));
      if (rest) expect(rest.firstEntry).toBe(existing.find(({ entry: of }) => of > from)?.entry);
    }), { numRuns: fewOrAll(60, 200) });
  });

  test('keep the type of every error, and messages up to a limit', () => {
    const rows = new HourRows(HOUR, 1);
    const error = { type: 'status_code' as const, message: 'x'.repeat(1000) };
    for (let at = 0; at < 1000; at += 1) rows.add(1, SOURCE, storedOf({ outcome: 'failure', error }));
    const stored = rows.after(0).map((row) => row.error);
    expect(stored.every((one) => one?.type === 'status_code')).toBe(true);
    const whole = stored.filter((one) => one?.message === error.message).length;
    expect(whole).toBeGreaterThan(450);
    expect(whole).toBeLessThan(525);
    expect(stored.at(-1)?.message).toBe('');
  });

  test('keep the arrival times of late results, up to a limited number of sources', () => {
    const rows = new HourRows(HOUR, 1);
    for (let at = 1; at <= 300; at += 1) {
      rows.add(at, { ...SOURCE, late: true, received: { at, epoch: 'e' } }, storedOf({ late: true }));
    }
    const stored = rows.after(0);
    expect(stored.slice(0, 256).map(({ received }) => received?.at)).toEqual(
      Array.from({ length: 256 }, (_, at) => at + 1),
    );
    expect(stored.slice(256).every(({ late, received }) => late && received === undefined)).toBe(true);
  });

  test('count the results of each region over all of its probes', () => {
    const rows = new HourRows(HOUR, 1);
    for (const probe_id of ['one', 'other']) rows.add(1, { ...SOURCE, probe_id }, storedOf());
    rows.add(1, { ...SOURCE, region: 'us' }, storedOf());
    expect([rows.isFullFor('ap', 1), rows.isFullFor('us', 2), rows.isFullFor('eu', 2)]).toEqual([
      false, false, true,
    ]);
  });

  test('accept what a shorter interval allowed earlier in the hour', () => {
    const rows = new HourRows(HOUR, 1);
    expect(rows.isFullFor('eu', 3)).toBe(false);
    for (let at = 0; at < 2; at += 1) rows.add(1, SOURCE, storedOf());
    expect(rows.isFullFor('eu', 1)).toBe(false);
    rows.add(1, SOURCE, storedOf());
    expect(rows.isFullFor('eu', 1)).toBe(true);
  });

  test('expose their first and last journal entry', () => {
    const rows = new HourRows(HOUR, 7);
    rows.add(7, SOURCE, storedOf());
    rows.add(9, SOURCE, storedOf());
    expect([rows.firstEntry, rows.lastEntry]).toEqual([7, 9]);
    expect(rows.rowsAfter(9)).toBeNull();
  });

  test('keep running counts', () => {
    const rows = new HourRows(HOUR, 1);
    rows.add(1, SOURCE, storedOf({ response_time_ms: 10.04 }));
    rows.add(1, SOURCE, storedOf({ response_time_ms: 20.06 }));
    rows.add(2, SOURCE, storedOf({ outcome: 'failure', response_time_ms: 5 }));
    rows.add(3, SOURCE, storedOf({ outcome: 'missed', missed: { reason: 'overload', count: 4 } }));
    expect(rows.counts).toEqual({ total: 3, failed: 1, missed: 4, time_sum: 301, time_count: 2 });
  });
});
