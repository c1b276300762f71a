import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleFile } from '../bundle.mjs';
import { until } from '../helpers/until.ts';
import { StoreProcess } from './store-process.ts';

let dir: string;
let bundle: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'fw-store-'));
  bundle = await bundleFile('deploy/embedded/mongo/main.ts');
});

afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
  rmSync(bundle, { force: true });
});

test('the store ends when the process that started it is killed', async () => {
  const script = `
    const { spawn } = require('node:child_process');
    spawn(process.execPath, [${JSON.stringify(bundle)}, '--dir', ${JSON.stringify(join(dir, 'orphan'))}, '--parent', String(process.pid)], { stdio: 'inherit' });
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve) => {
    createInterface({ input: parent.stdout }).on('line', (line) => resolve((JSON.parse(line) as { url: string }).url));
  });
  const client = await MongoClient.connect(url);
  await client.db('x').command({ ping: 1 });
  parent.kill('SIGKILL');
  await until(() => new MongoClient(url, { serverSelectionTimeoutMS: 200 }).connect().then((other) => other.close().then(() => false), () => true), { what: 'the end of the store' });
  await client.close();
});

test('a path too long for a socket falls back to loopback TCP, and the data stays', async () => {
  const long = join(dir, 'd'.repeat(120));
  const first = await StoreProcess.start(bundle, '--dir', long);
  expect(first.url).toContain('127.0.0.1');
  const client = await MongoClient.connect(first.url);
  await client.db('x').collection('c').insertOne({ kept: true });
  await client.close();
  await first.end('SIGTERM');
  const second = await StoreProcess.start(bundle, '--dir', long, '--socket', join(dir, 'other.sock'));
  const again = await MongoClient.connect(second.url);
  expect(await again.db('x').collection('c').countDocuments({ kept: true })).toBe(1);
  await again.close();
  await second.end('SIGTERM');
});

test('sizes are told as they are on disk', async () => {
  const data = join(dir, 'sizes');
  const store = await StoreProcess.start(bundle, '--dir', data);
  const client = await MongoClient.connect(store.url);
  const db = client.db('sizes');
  const rows = db.collection<{ _id: number; a: string; n: number }>('rows');
  await rows.createIndex({ n: 1 }, { name: 'n' });
  for (let i = 0; i < 10; i++) await rows.insertMany(Array.from({ length: 500 }, (_, j) => ({ _id: i * 500 + j, a: 'x'.repeat(j % 2 === 0 ? 100 : 5_000), n: j })));
  const stats = await db.command({ collStats: 'rows' });
  const documentBytes = 5_000 * (4 + 1 + 4 + 4 + 2 + 1 + 4 + 1 + 1 + 2 + 4 + 1) + 2_500 * 5_100;
  expect(stats).toMatchObject({ count: 5_000, size: documentBytes, nindexes: 2, indexSizes: { n: expect.any(Number) as number } });
  // A document of 5,000 bytes takes two whole pages.
  expect(stats['storageSize']).toBeGreaterThan(2_500 * 8_192 + 2_500 * 100);
  expect(stats['totalSize']).toBe(stats['storageSize'] + stats['totalIndexSize']);
  const whole = await db.stats();
  const onDisk = statSync(join(data, 'data.mdb')).size;
  expect(whole).toMatchObject({ objects: 5_000, collections: 1, dataSize: documentBytes, fsUsedSize: onDisk });
  const used = (whole['totalSize'] as number) + (whole['freeStorageSize'] as number);
  expect(used).toBeGreaterThan(onDisk * 0.9);
  expect(used).toBeLessThan(onDisk * 1.02);
  await rows.deleteMany({});
  await rows.insertOne({ _id: 1, a: '', n: 1 });
  expect((await db.stats())['freeStorageSize']).toBeGreaterThan(onDisk * 0.8);
  expect(await db.command({ collStats: 'rows' })).toMatchObject({ count: 1 });
  await client.close();
  await store.end('SIGTERM');
});
