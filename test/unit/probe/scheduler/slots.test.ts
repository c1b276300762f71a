import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { missedWhileAway } from '../../../../probe/scheduler/absence.ts';
import {
  decideSlot, isSlot, LATE_LIMIT_MS, missedRuns, nextSlot, slotsBetween, type SlotRun,
} from '../../../../probe/scheduler/slots.ts';

const minute = { interval_ms: 60_000, phase_ms: 7_000 };
const scheduleOf =
  fc.record({ interval_ms: fc.integer({ min: 1000, max: 600_000 }), phase_ms: fc.nat(599_999) });

describe('slots', () => {
  test('slot k is due at k times the interval plus the phase', () => {
    expect(nextSlot(minute, 0)).toBe(7_000);
    expect(nextSlot(minute, 7_000)).toBe(67_000);
    expect(nextSlot(minute, 6_999)).toBe(7_000);
    expect(isSlot(minute, 1_760_000_047_000)).toBe(true);
    expect(isSlot(minute, 1_760_000_047_001)).toBe(false);
    expect(slotsBetween(minute, 7_000, 127_000)).toBe(2);
  });

  test('a slightly late slot is run', () => {
    expect(decideSlot(minute, 67_000, 67_400)).toEqual({ run: true, nextMs: 127_000 });
  });

  test('a very late or superseded slot is recorded with all later ones, and the next one is kept', () => {
    expect(decideSlot(minute, 67_000, 67_001 + LATE_LIMIT_MS)).toEqual({
      run: false, missed: [{ atMs: 67_000, count: 1 }], nextMs: 127_000,
    });
    expect(decideSlot(minute, 67_000, 67_000 + 600_000)).toEqual({
      run: false, missed: [{ atMs: 67_000, count: 11 }], nextMs: 727_000,
    });
  });

  test('an extra check between two slots is missed on its own', () => {
    expect(missedRuns(minute, 50_000, 130_000)).toEqual([
      { atMs: 50_000, count: 1 }, { atMs: 67_000, count: 2 },
    ]);
    expect(missedRuns(minute, 50_000, 60_000)).toEqual([{ atMs: 50_000, count: 1 }]);
  });

  test('slots missed while the probe was down and recorded slots together are all slots, each once', () => {
    const START = 1_760_000_000_000;
    fc.assert(
      fc.property(scheduleOf, fc.integer({ min: 0, max: 5_000_000 }), fc.array(
        fc.nat(40), { maxLength: 10 },
      ), fc.array(fc.nat(9), { maxLength: 3 }),
        fc.nat(100_000), (schedule, awayMs, doneSlots, openSlots, sinceMs) => {
        const first = nextSlot(schedule, START);
        const recorded: SlotRun[] = [...new Set(doneSlots)].map(
          (slot) => ({ atMs: first + slot * schedule.interval_ms, count: 1 }),
        ).filter((run) => run.atMs <= START + awayMs);
        const open = [...new Set(openSlots)].map((slot) => first - (slot + 1) * schedule.interval_ms).sort(
          (a, b) => a - b,
        );
        const assignedFrom = START - 10_000_000 + sinceMs;
        const runs =
          missedWhileAway(schedule, assignedFrom, { untilMs: START, open, recorded }, START + awayMs);
        const expanded = [...runs, ...recorded].flatMap(
          (run) => Array.from({ length: run.count }, (_, at) => run.atMs + at * schedule.interval_ms),
        ).sort((a, b) => a - b);
        const expected = [...open];
        for (let slot = first; slot <= START + awayMs; slot += schedule.interval_ms) expected.push(slot);
        expect(expanded).toEqual(expected);
      }),
    );
  });

  test('open slots that were recorded together after the last mark are not missed again', () => {
    const seen = { untilMs: 200_000, open: [67_000, 127_000, 187_000], recorded: [{ atMs: 67_000, count: 2 }] };
    expect(missedWhileAway(minute, 0, seen, 260_000)).toEqual([{ atMs: 187_000, count: 2 }]);
  });

  test('a monitor created after the last mark has missed slots only since its creation', () => {
    const seen = { untilMs: 100_000, open: [], recorded: [] };
    expect(missedWhileAway(minute, 130_000, seen, 260_000)).toEqual([{ atMs: 187_000, count: 2 }]);
    expect(missedWhileAway(minute, 187_000, seen, 260_000)).toEqual([{ atMs: 187_000, count: 2 }]);
  });
});
