import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { bundleFile } from '../../bundle.mjs';
import { findPrograms } from '../../../deploy/quickstart/servers/programs.ts';
import { lockDirectory } from '../../../shared/directory-lock.ts';

const isRoot = process.getuid?.() === 0;
let dir: string;
let program: string;
beforeAll(async () => {
  program = await bundleFile('test/unit/shared/lock-forever.ts');
});
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'farwatch-lock-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function start(command: string, args: string[]): { line: Promise<string>; kill(): Promise<unknown> } {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const line = new Promise<string>((resolve) => child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim())));
  return { line, kill: () => (child.kill('SIGKILL'), ended) };
}

test('one of many that lock a directory at the same moment gets it', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(dir)));
  const unlocks = outcomes.flatMap((outcome) => outcome.status === 'fulfilled' ? [outcome.value] : []);
  expect(unlocks).toHaveLength(1);
  await expect(lockDirectory(dir)).rejects.toThrow(`${dir} is in use by process ${process.pid}`);
  await unlocks[0]?.();
  await (await lockDirectory(dir))();
});

test('the lock of a killed process does not hold', async () => {
  const other = start(process.execPath, [program, dir]);
  expect(await other.line).toBe('locked');
  await expect(lockDirectory(dir)).rejects.toThrow('is in use by process');
  await other.kill();
  expect(existsSync(join(dir, 'lock'))).toBe(true);
  await (await lockDirectory(dir))();
});

const canUnshare = isRoot && findPrograms('unshare', process.env).length > 0;
test.runIf(canUnshare)('another container with the same volume sees the lock', async () => {
  const unlock = await lockDirectory(dir);
  const apart = ['--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const other = start('unshare', [...apart, process.execPath, program, dir]);
  expect(await other.line).toBe(`${dir} is in use by another container`);
  await other.kill();
  await unlock();
});

test('a path that is too long for a socket is locked, too', async () => {
  const deep = join(dir, 'x'.repeat(100));
  const unlock = await lockDirectory(deep);
  await expect(lockDirectory(deep)).rejects.toThrow('is in use by process');
  await unlock();
});

test('a file in place of the directory is refused, and the error says what to do', async () => {
  writeFileSync(join(dir, 'file'), '');
  await expect(lockDirectory(join(dir, 'file'))).rejects.toThrow('file is not a directory. Set DATA_DIR to another one');
});

test.runIf(isRoot)("another user's directory is refused and not changed", () => {
  const foreign = join(dir, 'foreign');
  mkdirSync(foreign, { mode: 0o755 });
  execFileSync('chmod', ['755', dir]);
  const user = ['--reuid=65532', '--regid=65532', '--clear-groups'];
  const output = execFileSync('setpriv', [...user, process.execPath, program, foreign], { encoding: 'utf8', cwd: '/' });
  expect(output).toContain('foreign belongs to others: user 65532 cannot write to it. Change its owner, or set DATA_DIR');
  expect(execFileSync('ls', ['-A', foreign], { encoding: 'utf8' })).toBe('');
});
