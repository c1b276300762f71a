import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findPrograms } from '../../deploy/quickstart/servers/programs.ts';
import { cleanEnvironment } from '../helpers/clean-environment.ts';
import type { FarwatchRole } from '../helpers/farwatch.ts';
import { until } from '../helpers/until.ts';
import type { Installation } from './probe-command.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const STORE: FarwatchRole = findPrograms('mongod', process.env).length > 0 ? 'mongod' : 'embedded-mongo';

/** Access of other users of the machine. */
export function privateProcesses(on: Installation): void {
  let probes = 0;
  let socketDir = '';
  const children: ChildProcess[] = [];
  afterAll(() => {
    for (const { pid } of children) if (pid !== undefined) killGroup(pid);
    if (socketDir !== '') rmSync(socketDir, { recursive: true, force: true });
  });

  /** Runs a probe that enrols with its own token until it is connected; returns the token. */
  async function enrol(
    command: string[], how: (token: string) => { args?: string[]; env?: Record<string, string> },
  ): Promise<string> {
    probes += 1;
    const token = await on.newProbe(`private-${probes}`);
    const { args = [], env = {} } = how(token);
    const [program = '', ...rest] = [...command, '--controller', on.farwatch.url, ...args];
    const child = spawn(program, rest, {
      cwd: ROOT, detached: true, env: cleanEnvironment({ DATA_DIR: join(on.dir, `probe-${probes}`), ...env }),
    });
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await until(() => output.includes('"msg":"connected"'), { what: 'connected' }).catch((error: Error) => {
      throw new Error(`${error.message}; its output:\n${output}`);
    });
    return token;
  }

  const START = [process.execPath, join(ROOT, 'deploy/command/farwatch.mjs'), 'probe'];
  const NPM = ['npm', 'run', 'probe', '--'];
  const fileWith = (token: string) => {
    writeFileSync(join(on.dir, 'token'), `${token}\n`, { mode: 0o600 });
    return join(on.dir, 'token');
  };

  test('find no token of the installation\'s own probe among the arguments of processes', async () => {
    const token = variableOf(await on.farwatch.pid('probe'), 'FARWATCH_TOKEN');
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(variableOf(await on.farwatch.pid('controller'), 'EMBEDDED_PROBE_TOKEN')).toBe(token);
    expect(processesThatShow(token)).toEqual([]);
  });

  test('find another probe\'s token there only until its program has started', async () => {
    const token = await enrol(START, (token) => ({ args: ['--token', token] }));
    expect(processesThatShow(token)).toEqual([]);
    const [shown] = processesThatShow(`${START[1]} probe --controller ${on.farwatch.url} --token ***`);
    expect(shown).toBe(children.at(-1)?.pid);
    expect(processesThatShow(await enrol(START, (token) => ({ args: [`--token=${token}`] })))).toEqual([]);
  });

  test('never find it if it comes from a file or the environment, even through npm', async () => {
    const tokens = [
      await enrol(NPM, (token) => ({ args: ['--token-file', fileWith(token)] })),
      await enrol(NPM, (token) => ({ env: { FARWATCH_TOKEN: token } })),
      await enrol(START, (token) => ({ env: { FARWATCH_TOKEN_FILE: fileWith(token) } })),
    ];
    for (const token of tokens) expect(processesThatShow(token)).toEqual([]);
    expect(processesThatShow('--token-file').length).toBeGreaterThan(0);
  });

  test('cannot connect to the database, however long the path of the data directory is', async () => {
    const pid = await on.farwatch.pid(STORE);
    expect(tcpListeners(pid)).toEqual([]);
    expect(tcpListeners(await on.farwatch.pid('controller')), 'the control').toHaveLength(1);
    const url = variableOf(await on.farwatch.pid('controller'), 'MONGODB_URL');
    const socket = decodeURIComponent(/^mongodb:\/\/([^/]+)/.exec(url)?.[1] ?? '');
    expect(statSync(socket).isSocket()).toBe(true);
    socketDir = dirname(socket);
    expect(statSync(socketDir).mode & 0o777).toBe(0o700);
  });

  test('while the installation reconnects to it after each kill and restart', async () => {
    await on.farwatch.replaced(STORE, await on.farwatch.kill9(STORE));
    const isServed = async () => (await fetch(`${on.farwatch.url}/api/auth/me`, {
      headers: { authorization: `Bearer ${on.token}` },
    })).status === 200;
    await until(isServed, { what: 'the account can be read' });
    await on.farwatch.kill9All();
    await on.farwatch.start();
    expect(await isServed()).toBe(true);
  });
}

/** Other processes of the machine whose arguments contain `text`. */
function processesThatShow(text: string): number[] {
  return readdirSync('/proc').map(Number).filter((pid) => {
    if (Number.isNaN(pid) || pid === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').includes(text);
    } catch {
      return false;
    }
  });
}

/** Only the process's own user can read this. */
function variableOf(pid: number, name: string): string {
  const entries = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  return entries.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/** Addresses at which the process accepts TCP connections, as proc(5) writes them. */
function tcpListeners(pid: number): string[] {
  const inodes = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
  return ['tcp', 'tcp6'].flatMap((kind) => {
    const rows = readFileSync(`/proc/${pid}/net/${kind}`, 'latin1').trim().split('\n').slice(1);
    const sockets = rows.map((row) => row.trim().split(/\s+/));
    return sockets.filter((row) => row[3] === '0A' && inodes.includes(row[9] ?? '')).map((row) => row[1] ?? '');
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
