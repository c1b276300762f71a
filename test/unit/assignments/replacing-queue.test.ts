import { beforeEach, expect, test } from 'vitest';
import { ReplacingQueue } from '../../../controller/assignments/replacing-queue.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { sleep } from '../../../shared/time.ts';

let clock: SimulatedClock;
let queue: ReplacingQueue;
let done: string[];
let running: Set<string>;
let maxRunning: number;

beforeEach(() => {
  clock = new SimulatedClock();
  queue = new ReplacingQueue({ maxRunning: 4, maxWaiting: 10 });
  [done, running, maxRunning] = [[], new Set(), 0];
});

/** A task of one second, named by `what`. */
function put(key: string, what: string): void {
  queue.put(key, async () => {
    expect(running.has(key)).toBe(false);
    running.add(key);
    maxRunning = Math.max(maxRunning, running.size);
    await sleep(clock, 1000);
    running.delete(key);
    done.push(what);
  });
}

test('a flooding key has one running task and one waiting, the newest', async () => {
  for (let at = 0; at < 1000; at += 1) put('loud', `loud ${at}`);
  expect(queue.dropped).toBe(998);
  put('other', 'other');
  await clock.advance(1000);
  expect(done).toEqual(['loud 0', 'other']);
  await clock.advance(5000);
  expect(done).toEqual(['loud 0', 'other', 'loud 999']);
});

test('keys take turns, even if one of them submits repeatedly', async () => {
  const others = ['b', 'c', 'd', 'e', 'f', 'g'];
  put('a', 'a');
  for (const other of others) put(other, other);
  put('a', 'a again');
  await clock.advance(3000);
  expect(done).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'a again']);
  expect([maxRunning, queue.dropped]).toEqual([4, 0]);
});

test('tasks of further keys are dropped when the queue is full', async () => {
  for (let at = 0; at < 15; at += 1) put(`key ${at}`, `${at}`);
  expect(queue.dropped).toBe(1);
  await clock.advance(60_000);
  expect(done).toHaveLength(14);
});

test('a stop drops waiting tasks and resolves when running ones have ended', async () => {
  for (let at = 0; at < 6; at += 1) put(`key ${at}`, `${at}`);
  let isStopped = false;
  void queue.stop().then(() => (isStopped = true));
  await clock.advance(900);
  expect(isStopped).toBe(false);
  await clock.advance(60_000);
  expect([isStopped, done]).toEqual([true, ['0', '1', '2', '3']]);
});
