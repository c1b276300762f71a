import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TimerHeap } from '../../../../probe/scheduler/timer-heap.ts';

const START = 1_760_000_000_000;

/** The simple implementation: a list sorted at every step. */
class ListedTimers {
  readonly #dues = new Map<number, number>();
  #nowMs: number;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  insert(entry: number, dueMs: number): void {
    this.#dues.set(entry, Math.max(dueMs, this.#nowMs + 1));
  }

  remove(entry: number): void {
    this.#dues.delete(entry);
  }

  advance(toMs: number): [atMs: number, entry: number][] {
    const due = [...this.#dues].filter(([, atMs]) => atMs <= toMs).map(
      ([entry, atMs]): [number, number] => [atMs, entry],
    );
    for (const [, entry] of due) this.#dues.delete(entry);
    this.#nowMs = Math.max(this.#nowMs, toMs);
    return due;
  }
}

describe('the timer heap', () => {
  test('fires the same timers at the same instants as a sorted list', () => {
    const delay = fc.oneof(
      fc.integer({ min: -100, max: 100 }), fc.integer({ min: 0, max: 60_000 }),
      fc.integer({ min: 0, max: 50_000_000 }), fc.integer({ min: 0, max: 4_000_000_000 }),
    );
    const step = fc.oneof(
      fc.record({ kind: fc.constant('insert' as const), entry: fc.nat(50), delayMs: delay }),
      fc.record({ kind: fc.constant('remove' as const), entry: fc.nat(50), delayMs: fc.constant(0) }),
      fc.record({ kind: fc.constant('advance' as const), entry: fc.constant(0), delayMs: fc.oneof(
        fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 30_000_000 }),
        fc.integer({ min: 0, max: 3_000_000_000 }),
      ) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const heap = new TimerHeap(START);
        const list = new ListedTimers(START);
        let nowMs = START;
        for (const { kind, entry, delayMs } of steps) {
          if (kind === 'insert') {
            heap.insert(entry, nowMs + delayMs);
            list.insert(entry, nowMs + delayMs);
          } else if (kind === 'remove') {
            heap.remove(entry);
            list.remove(entry);
          } else {
            nowMs += delayMs;
            const fired: [number, number][] = [];
            heap.advance(nowMs, (each) => fired.push([heap.nowMs, each]));
            const byEntry = (one: [number, number], other: [number, number]): number =>
              one[0] - other[0] || one[1] - other[1];
            expect(fired.sort(byEntry)).toEqual(list.advance(nowMs).sort(byEntry));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test('fires in order of due time, and a fired entry can be inserted again', () => {
    const heap = new TimerHeap(START);
    heap.insert(1, START + 10);
    const fired: number[] = [];
    heap.advance(START + 100, (entry) => {
      fired.push(heap.nowMs - START);
      heap.insert(entry, heap.nowMs + 10);
    });
    expect(fired).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  });

  test('returns the due time of the next timer', () => {
    fc.assert(
      fc.property(fc.array(
        fc.integer({ min: 1, max: 2_000_000_000 }), { minLength: 1, maxLength: 20 },
      ), (delays) => {
        const heap = new TimerHeap(START);
        delays.forEach((delayMs, entry) => heap.insert(entry, START + delayMs));
        const first = START + Math.min(...delays);
        for (let wakes = 0; wakes < 10 && heap.size === delays.length; wakes += 1) {
          expect(heap.nextMs()).toBeLessThanOrEqual(first);
          heap.advance(heap.nextMs(), () => expect(heap.nowMs).toBe(first));
        }
        expect(heap.size).toBeLessThan(delays.length);
      }),
    );
  });

  test('holds 100,000 entries and fires each when it is due', () => {
    const heap = new TimerHeap(START);
    const count = 100_000;
    for (let entry = 0; entry < count; entry += 1) heap.insert(entry, START + 1 + ((entry * 7919) % 60_000));
    let fired = 0;
    let wrong = 0;
    heap.advance(START + 60_000, (entry) => {
      fired += 1;
      if (heap.nowMs !== START + 1 + ((entry * 7919) % 60_000)) wrong += 1;
    });
    expect({ fired, wrong, left: heap.size }).toEqual({ fired: count, wrong: 0, left: 0 });
  });

  test('works over half a year', () => {
    const heap = new TimerHeap(START);
    const day = 86_400_000;
    let fired = 0;
    heap.insert(0, START + day);
    for (let days = 1; days <= 200; days += 1) {
      heap.advance(START + days * day, (entry) => {
        fired += 1;
        heap.insert(entry, heap.nowMs + day);
      });
    }
    expect(fired).toBe(200);
  });
});
