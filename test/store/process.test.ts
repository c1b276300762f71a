import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
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

test('the store stops when its parent process is killed', async () => {
  const script = `
    const { spawn } = require('node:child_process');
    const args = ${JSON.stringify([bundle, '--dir', join(dir, 'orphan')])};
    spawn(process.execPath, [...args, '--parent', String(process.pid)], { stdio: 'inherit' });
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve) => {
    const lines = createInterface({ input: parent.stdout });
    lines.on('line', (line) => resolve((JSON.parse(line) as { url: string }).url));
  });
  const client = await MongoClient.connect(url);
  await client.db('x').command({ ping: 1 });
  // The driver may wait for ever when it closes a connection to a server that has ended.
  await client.close();
  parent.kill('SIGKILL');
  const socketPath = join(dir, 'orphan', 'mongo.sock');
  await until(() => !existsSync(socketPath), { what: 'the end of the store' });
});

test('the store listens on loopback TCP when the path of its socket is too long', async () => {
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
