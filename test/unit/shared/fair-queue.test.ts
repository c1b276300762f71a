import { expect, test } from 'vitest';
import { FairQueue, type FairLimits } from '../../../shared/fair-queue.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

/** A queue whose work ends when the test says so, and the names of the work in the order of its start. */
function open(limits: Partial<FairLimits> = {}) {
  const clock = new SimulatedClock();
  const all = { atOnce: 2, atOnceOfKey: 1, waiting: 100, waitingOfKey: 50, longestWaitMs: 1000, ...limits };
  const queue = new FairQueue(clock, all, (refusal) => new Error(refusal));
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (key: string, name: string) => queue.run(key, () => {
    started.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  });
  const end = async (name: string) => {
    ends.get(name)?.();
    await clock.advance(0);
  };
  return { clock, queue, started, run, end };
}

test('work of one key runs one by one, and a key with much work delays another by one turn', async () => {
  const { started, run, end } = open();
  for (const name of ['a1', 'a2', 'a3', 'a4']) void run('a', name);
  for (const name of ['b1', 'b2']) void run('b', name);
  void run('c', 'c1');
  expect(started).toEqual(['a1', 'b1']);
  await end('a1');
  expect(started).toEqual(['a1', 'b1', 'a2']);
  await end('b1');
  expect(started.slice(3)).toEqual(['b2']);
  await end('b2');
  expect(started.slice(4)).toEqual(['c1']);
  await end('c1');
  expect(started.slice(5)).toEqual([]);
  await end('a2');
  expect(started.slice(5)).toEqual(['a3']);
});

test('too much waiting work is refused, of one key before of all, and counted', async () => {
  const { queue, run } = open({ waiting: 3, waitingOfKey: 2 });
  for (const name of ['a1', 'a2', 'a3']) void run('a', name);
  void run('b', 'b1');
  await expect(run('a', 'a4')).rejects.toThrow('mine');
  void run('c', 'c1');
  await expect(run('d', 'd1')).rejects.toThrow('all');
  expect(queue.refused).toBe(2);
});

test('work whose turn does not come in time is refused and never runs', async () => {
  const { clock, started, run, end } = open();
  void run('a', 'a1');
  const late = expect(run('a', 'a2')).rejects.toThrow('late');
  await clock.advance(1000);
  await late;
  const next = run('a', 'a3');
  await end('a1');
  expect(started).toEqual(['a1', 'a3']);
  await end('a3');
  expect(await next).toBe('a3');
});

test('work that fails gives its place back', async () => {
  const { queue } = open({ atOnce: 1 });
  const fail = () => Promise.reject(new Error('broken'));
  const [first, second] = [queue.run('a', fail), queue.run('a', async () => 'done')];
  await expect(first).rejects.toThrow('broken');
  expect(await second).toBe('done');
});
