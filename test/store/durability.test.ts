import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEngine, type Engine } from '../../deploy/embedded/mongo/storage/engine.ts';
import { Storage } from '../../deploy/embedded/mongo/storage/storage.ts';
import { until } from '../helpers/until.ts';

let dir: string;
let engine: Engine;
let batches: number;
let releaseFlush: (() => void)[];
let isFlushHeld: boolean;

/** The real lmdb, except that its confirmation of the flush to disk can be delayed. */
function slowDisk(inner: Engine): Engine {
  return {
    getBinary: (key) => inner.getBinary(key),
    doesExist: (key) => inner.doesExist(key),
    getRange: (options) => inner.getRange(options),
    getKeysCount: (options) => inner.getKeysCount(options),
    write: async (changes) => {
      batches++;
      await inner.write(changes);
      if (isFlushHeld) await new Promise<void>((resolve) => releaseFlush.push(resolve));
    },
    close: () => inner.close(),
  };
}

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'fw-durable-'));
  batches = 0;
  releaseFlush = [];
  isFlushHeld = false;
  engine = slowDisk(await openEngine(dir));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

const key = (n: number): Buffer => Buffer.from([0, 0, 0, 1, n]);

test('a write is acknowledged only after its flush, and closing waits for it', async () => {
  const storage = new Storage(engine, (error) => expect.unreachable(String(error)));
  isFlushHeld = true;
  let acknowledged = false;
  const write = storage.write(() => storage.put(key(1), Buffer.from('x'))).then(() => (acknowledged = true));
  await until(() => releaseFlush.length === 1);
  expect(storage.get(key(1))?.toString()).toBe('x');
  expect(acknowledged).toBe(false);
  let isClosed = false;
  const closing = storage.close().then(() => (isClosed = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect([acknowledged, isClosed]).toEqual([false, false]);
  releaseFlush[0]!();
  await Promise.all([write, closing]);
});

test('writes that arrive during a flush share the next commit', async () => {
  const storage = new Storage(engine, (error) => expect.unreachable(String(error)));
  isFlushHeld = true;
  const first = storage.write(() => storage.put(key(1), Buffer.from('x')));
  await until(() => releaseFlush.length === 1);
  isFlushHeld = false;
  const put = (n: number) => storage.write(() => storage.put(key(n), Buffer.from('y')));
  const others = Array.from({ length: 50 }, (_, i) => put(2 + i));
  releaseFlush[0]!();
  await Promise.all([first, ...others]);
  expect(batches).toBe(2);
  await storage.close();
});

test('a job sees earlier writes of its commit, and a job that throws leaves no changes', async () => {
  const storage = new Storage(engine, (error) => expect.unreachable(String(error)));
  const found = (from: number, to: number, reverse = false): string[] =>
    [...storage.range(key(from), key(to), reverse)].map((entry) => entry.value.toString());
  await storage.write(() => [1, 3, 5, 7].forEach((n) => storage.put(key(n), Buffer.from(String(n)))));
  const seen: string[][] = [];
  const jobs = [
    storage.write(() => {
      storage.put(key(2), Buffer.from('2'));
      storage.remove(key(3));
      storage.put(key(5), Buffer.from('five'));
      seen.push(found(0, 7), found(0, 8, true));
    }),
    storage.write(() => {
      storage.remove(key(1));
      storage.put(key(2), Buffer.from('zwei'));
      throw new Error('no');
    }),
    storage.write(() => seen.push(found(1, 6), found(2, 3, true))),
  ];
  const results = await Promise.allSettled(jobs);
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(seen).toEqual([['1', '2', 'five'], ['7', 'five', '2', '1'], ['1', '2', 'five'], ['2']]);
  expect(found(0, 9)).toEqual(['1', '2', 'five', '7']);
  await storage.close();
});

test('after a failed commit, all further writes fail', async () => {
  const failures: unknown[] = [];
  const write = () => Promise.reject(new Error('disk full'));
  const broken: Engine = Object.assign(slowDisk(engine), { write });
  const storage = new Storage(broken, (error) => failures.push(error));
  const writes = [1, 2].map((n) => storage.write(() => storage.put(key(n), Buffer.from('x'))));
  expect((await Promise.allSettled(writes)).map((result) => result.status)).toEqual(['rejected', 'rejected']);
  await expect(storage.write(() => 1)).rejects.toThrow('disk full');
  expect(failures).toHaveLength(1);
  await engine.close();
});
