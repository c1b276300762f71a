import { expect, test } from 'vitest';
import { FairQueue, type FairLimits } from '../../../controller/work/fair-queue.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

/** A queue whose work ends when the test decides, and the names of started work in order. */
function open(limits: Partial<FairLimits> = {}) {
  const clock = new SimulatedClock();
  const all = { maxRunning: 2, maxRunningPerKey: 1, maxWaiting: 100, maxWaitingPerKey: 50, maxWaitMs: 1000, ...limits };
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

test('work of one key runs sequentially, and a busy key delays others by one turn', async () => {
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

test('too much waiting work of one key is rejected and counted', async () => {
  const { queue, run } = open({ maxWaiting: 3, maxWaitingPerKey: 2 });
  for (const name of ['a1', 'a2', 'a3']) void run('a', name);
  await expect(run('a', 'a4')).rejects.toThrow('mine');
  expect(queue.refused).toBe(1);
});

test('when the queue is full, the newest work of the key with the most is rejected, never the newcomer', async () => {
  const { queue, started, run, end } = open({ maxWaiting: 4, maxWaitingPerKey: 4, maxRunning: 1 });
  const [, , , , newest] = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => run('a', name));
  const evicted = expect(newest).rejects.toThrow('mine');
  void run('b', 'b1');
  await evicted;
  const next = expect(run('a', 'a6')).rejects.toThrow('all');
  await next;
  for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name);
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  expect(queue.refused).toBe(2);
});

test("the IPv6 addresses of a /48 share one turn, and a /64 can't use up the whole queue", async () => {
  const { started, run, end } = open({ maxWaitingPerKey: 2, maxWaiting: 10, maxRunning: 1 });
  const inNetwork = (at: number) => `ip:2001:db8:a:${at.toString(16)}::/64`;
  void run(inNetwork(0), 'first');
  for (const name of ['a1', 'a2']) void run(inNetwork(0), name);
  await expect(run(inNetwork(0), 'a3')).rejects.toThrow('mine');
  for (let at = 1; at <= 6; at += 1) void run(inNetwork(at), `b${at}`);
  // A /56 may have four times as much waiting work as a /64.
  await expect(run(inNetwork(7), 'b7')).rejects.toThrow('mine');
  const evicted = [expect(run(inNetwork(256), 'c1')), expect(run(inNetwork(512), 'c2'))]
    .map((work) => work.rejects.toThrow('mine'));
  for (const name of ['d1', 'd2']) void run('ip:192.0.2.1', name);
  await Promise.all(evicted);
  for (const name of ['first', 'a1', 'd1', 'a2']) await end(name);
  expect(started).toEqual(['first', 'a1', 'd1', 'a2', 'd2']);
});

test('a newcomer is rejected if no key has more waiting work', async () => {
  const { run } = open({ maxWaiting: 2, maxRunning: 1 });
  for (const key of ['a', 'b', 'c']) void run(key, key);
  await expect(run('d', 'd')).rejects.toThrow('all');
});

test('work that waits too long is rejected and never runs', async () => {
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

test('work that fails releases its capacity', async () => {
  const { queue } = open({ maxRunning: 1 });
  const fail = () => Promise.reject(new Error('broken'));
  const [first, second] = [queue.run('a', fail), queue.run('a', async () => 'done')];
  await expect(first).rejects.toThrow('broken');
  expect(await second).toBe('done');
});
