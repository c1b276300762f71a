import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programFile } from '../bundle.mjs';
import { until } from '../helpers/until.ts';
import { StoreProcess } from './store-process.ts';

let dir: string;
let bundle: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'fw-store-'));
  bundle = await programFile('embedded-mongo');
});

afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

test('the store stops when its parent process is killed', async () => {
  const script = `
    const { spawn } = require('node:child_process');
    const args = ${JSON.stringify([bundle, '--dir', join(dir, 'orphan')])};
    spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve) => {
    const lines = createInterface({ input: parent.stdout });
    lines.on('line', (line) => resolve((JSON.parse(line) as { url: string }).url));
  });
  const client = await MongoClient.connect(url);
  await client.db('x').command({ ping: 1 });
  // The driver may wait forever when it closes a connection to a server that has ended.
  await client.close();
  parent.kill('SIGKILL');
  const socketPath = join(dir, 'orphan', 'mongo.sock');
  await until(() => !existsSync(socketPath), { what: 'the store has ended' });
});

test('the store refuses to start, rather than listen where others can reach it, if its socket path is too long', async () => {
  const long = join(dir, 'd'.repeat(120));
  await expect(StoreProcess.start(bundle, '--dir', long)).rejects.toThrow('at most 100 bytes');
  const socketPath = join(dir, 'other.sock');
  const store = await StoreProcess.start(bundle, '--dir', long, '--socket', socketPath);
  expect(store.url).toContain(encodeURIComponent(socketPath));
  expect(statSync(socketPath).mode & 0o777).toBe(0o600);
  await store.end('SIGTERM');
});
