import { beforeEach, describe, expect, test } from 'vitest';
import { Peers } from '../../../controller/work/peers.ts';
import { PeriodicTask } from '../../../controller/work/periodic-task.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

let clock: SimulatedClock;
let made: number[];
let outcome: boolean | 'idle' | Error;

beforeEach(() => {
  [clock, made, outcome] = [new SimulatedClock(), [], false];
});

function started(idleIntervalMs?: number, peers?: Peers): PeriodicTask {
  const task = new PeriodicTask({
    clock, intervalMs: 1000, peers, ...(idleIntervalMs === undefined ? {} : { idleIntervalMs }),
    task: async () => {
      made.push(clock.monotonic());
      const end = outcome;
      if (end === true) outcome = false;
      if (end instanceof Error) throw end;
      return end;
    },
    onError: () => undefined,
  });
  task.start();
  return task;
}

test('a task runs once per interval, starting after the first, and never after a stop', async () => {
  const task = started();
  await clock.advance(3500);
  await task.stop();
  await clock.advance(5000);
  expect(made).toEqual([1000, 2000, 3000]);
});

test('a run with more work is followed by another immediately', async () => {
  const task = started();
  outcome = true;
  task.trigger();
  await clock.advance(0);
  expect(made).toEqual([0, 0]);
  await task.stop();
});

describe('with an idle interval', () => {
  test('the run after an idle one is due later', async () => {
    const task = started(5000);
    outcome = 'idle';
    await clock.advance(11_500);
    expect(made).toEqual([1000, 6000, 11_000]);
    await task.stop();
  });

  test.each([false, new Error('no answer')])('a run that ends with %s restores the short interval', async (end) => {
    const task = started(5000);
    outcome = 'idle';
    await clock.advance(1500);
    outcome = end;
    task.trigger();
    await clock.advance(2000);
    expect(made).toEqual([1000, 1500, 2500, 3500]);
    await task.stop();
  });

  test('no run follows an idle one during which it was stopped', async () => {
    const task = started(5000);
    outcome = 'idle';
    task.trigger();
    await task.stop();
    await clock.advance(20_000);
    expect([made, clock.pending]).toEqual([[0], 0]);
  });
});

describe('on the only controller', () => {
  let peers: Peers;

  beforeEach(() => {
    peers = new Peers();
    peers.update(true);
    outcome = 'idle';
  });

  test('the run after an idle one is due in a minute', async () => {
    const task = started(5000, peers);
    await clock.advance(150_000);
    expect(made).toEqual([1000, 61_000, 121_000]);
    await task.stop();
  });

  test('a run starts immediately when another controller appears', async () => {
    const task = started(5000, peers);
    await clock.advance(10_000);
    peers.update(false);
    await clock.advance(10_000);
    expect(made).toEqual([1000, 10_000, 15_000, 20_000]);
    await task.stop();
    peers.update(true);
    peers.update(false);
    await clock.advance(10_000);
    expect(made).toHaveLength(4);
  });

  test('a run starts when the clock jumps forward, but not when it is set back', async () => {
    const task = started(5000, peers);
    peers.readClock(clock);
    await clock.advance(10_000);
    clock.jump(-3_600_000);
    peers.readClock(clock);
    await clock.advance(10_000);
    clock.jump(30_000);
    peers.readClock(clock);
    await clock.advance(10_000);
    peers.readClock(clock);
    await clock.advance(10_000);
    expect(made).toEqual([1000, 20_000]);
    await task.stop();
  });

  test('expected work is picked up within an interval, however often it is announced', async () => {
    const task = started(5000, peers);
    await clock.advance(10_000);
    for (const _ of [1, 2, 3]) {
      task.triggerWithinInterval();
      await clock.advance(500);
    }
    await clock.advance(20_000);
    expect(made).toEqual([1000, 11_000, 12_000]);
    await task.stop();
  });

  test('work announced during a run is picked up by the next', async () => {
    const task = started(5000, peers);
    await clock.advance(500);
    task.trigger();
    task.triggerWithinInterval();
    await clock.advance(10_000);
    expect(made).toEqual([500, 1500]);
    await task.stop();
  });
});
