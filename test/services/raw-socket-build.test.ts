import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RawSockets } from 'raw-socket';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findPrograms } from '../../deploy/quickstart/servers/programs.ts';
import { ensureRawSocket } from '../../deploy/quickstart/raw-socket.mjs';
import { planPing } from '../../probe/checks/icmp/pinger.ts';
import { RawPinger } from '../../probe/checks/icmp/raw-pinger.ts';
import { systemClock } from '../../shared/time.ts';

const checkout = join(import.meta.dirname, '../..');
const path = process.env['PATH'];
const roots: string[] = [];
let root: string;
let lines: string[];

/** A checkout whose packages were installed without their scripts. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'farwatch-build-'));
  roots.push(root);
  lines = [];
  for (const name of ['package.json', '.npmrc']) cpSync(join(checkout, name), join(root, name));
  for (const name of ['raw-socket', 'nan']) {
    cpSync(join(checkout, 'node_modules', name), join(root, 'node_modules', name), { recursive: true });
  }
  rmSync(join(root, 'node_modules/raw-socket/build'), { recursive: true, force: true });
});
afterEach(() => {
  process.env['PATH'] = path;
});
afterAll(() => {
  for (const each of roots) rmSync(each, { recursive: true });
});

const ensure = (within = 300_000) => ensureRawSocket({ root, say: (line) => lines.push(line), within });

/** A PATH with only Python and these programs. */
function allowPrograms(...names: string[]): void {
  const dir = join(root, 'programs');
  mkdirSync(dir);
  for (const name of names) symlinkSync(findPrograms(name, { PATH: path }, [])[0] as string, join(dir, name));
  // The `python3` on the PATH may be a script that needs other programs to find Python.
  const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
  symlinkSync(python.trim(), join(dir, 'python3'));
  process.env['PATH'] = dir;
}

describe('raw-socket', () => {
  test('is built explicitly, once, and pings', async () => {
    expect(await ensure()).toBe(true);
    expect(lines).toEqual(['Building raw-socket for ICMP checks (about 10 s)']);
    const raw = createRequire(join(root, 'package.json'))('raw-socket') as RawSockets;
    const report = await new RawPinger(raw, systemClock).ping({
      address: '127.0.0.1', count: 3, size: 56, ttl: 64, plan: planPing(3, 10_000, 60_000), maxQueueMs: 0,
    });
    expect(report).toMatchObject({ sent: 3, problem: null });
    expect(report.rttsMs).toHaveLength(3);
    expect(await ensure()).toBe(true);
    expect(lines).toHaveLength(1);
  });

  test('that cannot be built without a compiler is reported once, and later starts do not try again', async () => {
    allowPrograms('node', 'npm', 'sh', 'env');
    expect(await ensure()).toBe(false);
    expect(lines.slice(1)).toEqual([
      "ICMP checks use the system's ping: raw-socket could not be built: no C++ compiler found (Debian, Ubuntu: apt-get install build-essential)",
    ]);
    expect(await ensure()).toBe(false);
    expect(lines).toHaveLength(2);
  });

  test('whose build takes too long is abandoned', async () => {
    expect(await ensure(1)).toBe(false);
    expect(lines.at(-1)).toContain('raw-socket could not be built: the build timed out');
    expect(existsSync(join(root, 'node_modules/raw-socket/build/Release/raw.node'))).toBe(false);
  });
});
