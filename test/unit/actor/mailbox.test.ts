import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Mailbox, type Overflow } from '../../../shared/actor/mailbox.ts';

const OVERFLOWS: Overflow[] = ['reject', 'drop_oldest', 'drop_newest'];

describe('a mailbox', () => {
  test('that rejects tells the sender and keeps what it has', () => {
    const box = new Mailbox<number>({ capacity: 2, overflow: 'reject' });
    expect([box.put(1), box.put(2), box.put(3)]).toEqual([true, true, false]);
    expect([box.take(), box.take(), box.take()]).toEqual([1, 2, undefined]);
    expect(box.lost).toBe(1);
  });

  test('that drops the oldest takes the newest in its place', () => {
    const box = new Mailbox<number>({ capacity: 2, overflow: 'drop_oldest' });
    expect([box.put(1), box.put(2), box.put(3)]).toEqual([true, true, true]);
    expect([box.take(), box.take()]).toEqual([2, 3]);
    expect(box.lost).toBe(1);
  });

  test('that drops the newest does not trouble the sender', () => {
    const box = new Mailbox<number>({ capacity: 2, overflow: 'drop_newest' });
    expect([box.put(1), box.put(2), box.put(3)]).toEqual([true, true, true]);
    expect([box.take(), box.take()]).toEqual([1, 2]);
    expect(box.lost).toBe(1);
  });

  test('without room for one message cannot be made', () => {
    expect(() => new Mailbox({ capacity: 0, overflow: 'reject' })).toThrow(RangeError);
    expect(() => new Mailbox({ capacity: Number.NaN, overflow: 'reject' })).toThrow(RangeError);
  });

  test('does what a plain list would do, for any sequence of puts and takes', () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ puts: fc.integer({ min: 1, max: 150 }), takes: fc.constant(0) }) },
      { weight: 2, arbitrary: fc.record({ puts: fc.constant(0), takes: fc.integer({ min: 1, max: 150 }) }) },
    );
    fc.assert(fc.property(fc.constantFrom(...OVERFLOWS), fc.integer({ min: 1, max: 300 }), fc.array(step, { maxLength: 20 }), (overflow, capacity, steps) => {
      const box = new Mailbox<number>({ capacity, overflow });
      const model: number[] = [];
      let lost = 0;
      let next = 0;
      for (const { puts, takes } of steps) {
        for (let left = takes; left > 0; left -= 1) expect(box.take()).toBe(model.shift());
        for (let left = puts; left > 0; left -= 1) {
          const isFull = model.length === capacity;
          next += 1;
          expect(box.put(next)).toBe(!isFull || overflow !== 'reject');
          if (isFull) lost += 1;
          if (isFull && overflow === 'drop_oldest') model.shift();
          if (!isFull || overflow === 'drop_oldest') model.push(next);
        }
        expect(box.size).toBe(model.length);
        expect(box.lost).toBe(lost);
      }
    }), { numRuns: 200 });
  });
});
