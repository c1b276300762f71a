import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TICK_MS, TimerWheel } from '../../../../probe/scheduler/timer-wheel.ts';

const START = 1_760_000_000_000;

/** The plain way to do the same: a list that is sorted at every step. */
class ListedTimers {
  readonly #dues = new Map<number, number>();
  #nowMs: number;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  insert(entry: number, dueMs: number): void {
    const atMs = START + Math.ceil((dueMs - START) / TICK_MS) * TICK_MS;
    this.#dues.set(entry, Math.max(atMs, this.#nowMs + TICK_MS));
  }

  remove(entry: number): void {
    this.#dues.delete(entry);
  }

  advance(toMs: number): [atMs: number, entry: number][] {
    const due = [...this.#dues].filter(([, atMs]) => atMs <= toMs).map(([entry, atMs]): [number, number] => [atMs, entry]);
    for (const [, entry] of due) this.#dues.delete(entry);
    this.#nowMs = Math.max(this.#nowMs, START + Math.floor((toMs - START) / TICK_MS) * TICK_MS);
    return due;
  }
}

describe('the timer wheel', () => {
  test('does what a sorted list does, over all its rings', () => {
    const delay = fc.oneof(fc.integer({ min: -100, max: 100 }), fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 0, max: 50_000_000 }), fc.integer({ min: 0, max: 4_000_000_000 }));
    const step = fc.oneof(
      fc.record({ kind: fc.constant('insert' as const), entry: fc.nat(50), delayMs: delay }),
      fc.record({ kind: fc.constant('remove' as const), entry: fc.nat(50), delayMs: fc.constant(0) }),
      fc.record({ kind: fc.constant('advance' as const), entry: fc.constant(0), delayMs: fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 30_000_000 }), fc.integer({ min: 0, max: 3_000_000_000 })) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const wheel = new TimerWheel(START, 4);
        const list = new ListedTimers(START);
        let nowMs = START;
        for (const { kind, entry, delayMs } of steps) {
          if (kind === 'insert') {
            wheel.insert(entry, nowMs + delayMs);
            list.insert(entry, nowMs + delayMs);
          } else if (kind === 'remove') {
            wheel.remove(entry);
            list.remove(entry);
          } else {
            nowMs += delayMs;
            const fired: [number, number][] = [];
            wheel.advance(nowMs, (each) => fired.push([wheel.nowMs, each]));
            const byEntry = (one: [number, number], other: [number, number]): number => one[0] - other[0] || one[1] - other[1];
            expect(fired.sort(byEntry)).toEqual(list.advance(nowMs).sort(byEntry));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test('fires in order of ticks and lets what fires be inserted again', () => {
    const wheel = new TimerWheel(START);
    wheel.insert(1, START + 10);
    const fired: number[] = [];
    wheel.advance(START + 100, (entry) => {
      fired.push(wheel.nowMs - START);
      wheel.insert(entry, wheel.nowMs + 10);
    });
    expect(fired).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  });

  test('says when it has something to do, and that is never too late', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 2_000_000_000 }), { minLength: 1, maxLength: 20 }), (delays) => {
        const wheel = new TimerWheel(START);
        delays.forEach((delayMs, entry) => wheel.insert(entry, START + delayMs));
        const first = START + Math.ceil(Math.min(...delays) / TICK_MS) * TICK_MS;
        for (let wakes = 0; wakes < 10 && wheel.size === delays.length; wakes += 1) {
          expect(wheel.nextMs()).toBeLessThanOrEqual(first);
          wheel.advance(wheel.nextMs(), () => expect(wheel.nowMs).toBe(first));
        }
        expect(wheel.size).toBeLessThan(delays.length);
      }),
    );
  });

  test('holds a million entries and fires each in its tick', () => {
    const wheel = new TimerWheel(START);
    const count = 1_000_000;
    for (let entry = 0; entry < count; entry += 1) wheel.insert(entry, START + 1 + ((entry * 7919) % 60_000));
    let fired = 0;
    let wrong = 0;
    wheel.advance(START + 60_000, (entry) => {
      fired += 1;
      const dueMs = START + 1 + ((entry * 7919) % 60_000);
      if (wheel.nowMs < dueMs || wheel.nowMs >= dueMs + TICK_MS) wrong += 1;
    });
    expect({ fired, wrong, left: wheel.size }).toEqual({ fired: count, wrong: 0, left: 0 });
  });

  test('goes on after half a year', () => {
    const wheel = new TimerWheel(START);
    const day = 86_400_000;
    let fired = 0;
    wheel.insert(0, START + day);
    for (let days = 1; days <= 200; days += 1) {
      wheel.advance(START + days * day, (entry) => {
        fired += 1;
        wheel.insert(entry, wheel.nowMs + day);
      });
    }
    expect(fired).toBe(200);
  });
});
