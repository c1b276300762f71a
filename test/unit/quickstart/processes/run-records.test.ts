import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RunRecords } from '../../../../deploy/quickstart/processes/run-records.ts';
import { systemClock } from '../../../../shared/time.ts';

let dir = '';
const children: ChildProcess[] = [];
const run = (script: string): number => {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  return child.pid as number;
};
/** Resolves when the most recently started process has written something. */
const lastWrites = () => new Promise((resolve) => children.at(-1)?.stdout?.once('data', resolve));

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'farwatch-run-'));
});
afterEach(() => {
  children.splice(0).forEach((child) => child.kill('SIGKILL'));
  rmSync(dir, { recursive: true });
});

test('a recorded process is found and terminated, and its record removed', async () => {
  const records = new RunRecords(dir);
  const pid = run('setInterval(() => {}, 1000)');
  records.write('probe', pid);
  expect(records.living()).toMatchObject([{ role: 'probe', pid }]);
  expect(await records.reclaim(systemClock, [])).toMatchObject([{ role: 'probe', pid }]);
  expect(records.living()).toEqual([]);
  expect(readdirSync(dir)).toEqual([]);
});

test('a process that ignores SIGTERM is killed', async () => {
  const records = new RunRecords(dir);
  records.write(
    'stubborn', run('process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")'),
  );
  await lastWrites();
  expect(await records.reclaim(systemClock, [])).toHaveLength(1);
});

test('a pid reused by another process is left alone', async () => {
  const pid = run('setInterval(() => {}, 1000)');
  writeFileSync(
    join(dir, 'nats-server.json'),
    JSON.stringify({ role: 'nats-server', pid, identity: 'an earlier boot/123' }),
  );
  const records = new RunRecords(dir);
  expect(records.living()).toEqual([]);
  expect(await records.reclaim(systemClock, [])).toEqual([]);
  expect(children[0]?.exitCode).toBe(null);
});

test('a truncated or unrelated file does not prevent a start', () => {
  writeFileSync(join(dir, 'controller.json'), '{"role":"contr');
  writeFileSync(join(dir, 'notes.txt'), 'x');
  expect(new RunRecords(dir).living()).toEqual([]);
});
