import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { sleep } from '../../../shared/time.ts';

describe('a simulated clock', () => {
  test('moves only when told to, on both time scales', async () => {
    const clock = new SimulatedClock(1000);
    expect([clock.now(), clock.monotonic()]).toEqual([1000, 0]);
    await clock.advance(250);
    expect([clock.now(), clock.monotonic()]).toEqual([1250, 250]);
  });

  test('fires timers when due, ordered by due time and then by creation', async () => {
    const clock = new SimulatedClock(0);
    const fired: string[] = [];
    const set = (name: string, delayMs: number) =>
      clock.setTimer(delayMs, () => fired.push(`${name} ${clock.now()}`));
    set('b', 20);
    set('a', 10);
    set('c', 20);
    set('at once', 0);
    set('never late', -5);
    await clock.advance(15);
    expect(fired).toEqual(['at once 0', 'never late 0', 'a 10']);
    await clock.advance(5);
    expect(fired.slice(3)).toEqual(['b 20', 'c 20']);
    expect(clock.pending).toBe(0);
  });

  test('fires timers set by a timer if they are due within the same advance', async () => {
    const clock = new SimulatedClock(0);
    const fired: number[] = [];
    const again = (left: number): void => {
      fired.push(clock.now());
      if (left > 0) clock.setTimer(10, () => again(left - 1));
    };
    clock.setTimer(10, () => again(5));
    await clock.advance(35);
    expect(fired).toEqual([10, 20, 30]);
  });

  test('repeats until cancelled, also by the timer itself', async () => {
    const clock = new SimulatedClock(0);
    const fired: number[] = [];
    const timer = clock.setRepeating(10, () => {
      fired.push(clock.now());
      if (fired.length === 3) timer.cancel();
    });
    await clock.advance(100);
    expect(fired).toEqual([10, 20, 30]);
    expect(clock.pending).toBe(0);
  });

  test('advances even with a period of zero', async () => {
    const clock = new SimulatedClock(0);
    let count = 0;
    clock.setRepeating(0, () => {
      count += 1;
    });
    await clock.advance(5);
    expect(count).toBe(5);
  });

  test('lets a long chain of promises settle before the next timer', async () => {
    const clock = new SimulatedClock(0);
    const order: string[] = [];
    clock.setTimer(1, () => {
      void (async () => {
        for (let turn = 0; turn < 500; turn += 1) await Promise.resolve();
        order.push('chain');
      })();
    });
    clock.setTimer(2, () => order.push('timer'));
    await clock.advance(2);
    expect(order).toEqual(['chain', 'timer']);
  });

  test('can be set back without affecting timers or durations', async () => {
    const clock = new SimulatedClock(10_000);
    let firedAt: number | null = null;
    clock.setTimer(50, () => {
      firedAt = clock.now();
    });
    await clock.advance(20);
    clock.jump(-5000);
    expect([clock.now(), clock.monotonic()]).toEqual([5020, 20]);
    await clock.advance(30);
    expect(firedAt).toBe(5050);
  });

  test('wakes sleepers', async () => {
    const clock = new SimulatedClock(0);
    let woke: number | null = null;
    void sleep(clock, 30).then(() => {
      woke = clock.now();
    });
    await clock.advance(29);
    expect(woke).toBeNull();
    await clock.advance(1);
    expect(woke).toBe(30);
  });

  test('steps from timer to timer, and reports when there is none', () => {
    const clock = new SimulatedClock(0);
    const fired: string[] = [];
    clock.setTimer(500, () => fired.push('b'));
    clock.setTimer(10, () => fired.push('a'));
    expect(clock.step()).toBe(true);
    expect([clock.now(), ...fired]).toEqual([10, 'a']);
    expect(clock.step()).toBe(true);
    expect([clock.now(), ...fired]).toEqual([500, 'a', 'b']);
    expect(clock.step()).toBe(false);
  });

  test('behaves like a plain list of timers, for any sequence of calls', async () => {
    const call = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('set'), value: fc.nat(50) }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('cancel'), value: fc.nat(300) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('advance'), value: fc.nat(20) }) },
    );
    await fc.assert(fc.asyncProperty(fc.array(call, { maxLength: 500 }), async (calls) => {
      const clock = new SimulatedClock(0);
      const fired: number[] = [];
      const timers: { cancel(): void }[] = [];
      let model: { id: number; at: number }[] = [];
      const expected: number[] = [];
      for (const { kind, value } of calls) {
        if (kind === 'set') {
          const id = timers.length;
          model.push({ id, at: clock.now() + value });
          timers.push(clock.setTimer(value, () => fired.push(id)));
        } else if (kind === 'cancel') {
          timers[value % Math.max(1, timers.length)]?.cancel();
          model = model.filter(({ id }) => id !== value % timers.length);
        } else {
          await clock.advance(value);
          const due = model.filter(({ at }) => at <= clock.now()).sort(
            (one, other) => one.at - other.at || one.id - other.id,
          );
          expected.push(...due.map(({ id }) => id));
          model = model.filter(({ at }) => at > clock.now());
        }
        expect(clock.pending).toBe(model.length);
      }
      expect(fired).toEqual(expected);
    }), { numRuns: 60 });
  });
});
