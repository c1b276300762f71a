import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from '../helpers/until.ts';

/** `nobody` and `nogroup`: the user and group of services when the tests run as root. */
const NOBODY_ID = 65_534;
const isRoot = process.getuid?.() === 0;

/** Names of the services' user and group. */
export function serviceUser(): { user: string; group: string } {
  return isRoot
    ? { user: 'nobody', group: 'nogroup' }
    : { user: userInfo().username, group: execFileSync('id', ['-gn'], { encoding: 'utf8' }).trim() };
}

export interface ServiceOptions {
  program: string;
  args: string[];
  /** Files by their path in `dir`. A path that ends in a slash, with an empty text, is a folder. */
  files: Record<string, string>;
  /** On 127.0.0.1: all of them accept connections once the service has started. */
  ports: number[];
  dir: string;
  /** For a program that refuses to run otherwise. */
  asRoot?: boolean;
}

export interface Service {
  /** Ends the process and removes its folder. */
  stop(): Promise<void>;
}

/** An empty folder for the files of one service. */
export function serviceFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `farwatch-${name}-`));
}

/** Runs a program in the foreground as an unprivileged user, once its files are written. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { program, args, dir, ports, asRoot = false } = options;
  writeFiles(dir, options.files, isRoot && !asRoot ? NOBODY_ID : null);
  chmodSync(dir, 0o755);
  const [command, ...prefix] = asRoot && !isRoot ? ['sudo', '-n', program] : [program];
  const child = spawn(command as string, [...prefix, ...args], {
    cwd: dir, stdio: ['ignore', 'pipe', 'pipe'],
    // Postfix ends its whole process group, which must not be that of the tests.
    detached: asRoot,
    ...(isRoot && !asRoot ? { uid: NOBODY_ID, gid: NOBODY_ID } : {}),
  });
  const stopChild = () => child.kill('SIGTERM');
  process.once('exit', stopChild);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-10_000)));
  }
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(String(signal ?? code)));
  });
  const failed = ended.then((how) => {
    throw new Error(`${program} ended (${how}):\n${output}`);
  });
  await Promise.race([failed, Promise.all(ports.map((port) => until(() => accepts(port), { what: program })))]);
  return {
    stop: async () => {
      stopChild();
      failed.catch(() => undefined);
      await ended;
      process.off('exit', stopChild);
      if (asRoot && !isRoot) execFileSync('sudo', ['-n', 'rm', '-rf', dir]);
      else rmSync(dir, { recursive: true, force: true });
    },
  };
}

function writeFiles(dir: string, files: Record<string, string>, owner: number | null): void {
  const give = (path: string) => (owner === null ? undefined : chownSync(path, owner, owner));
  give(dir);
  for (const [name, text] of Object.entries(files)) {
    const path = join(dir, name);
    if (name.endsWith('/')) mkdirSync(path, { recursive: true });
    else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { mode: 0o600 });
    }
    give(path);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
