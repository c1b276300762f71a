import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  installByApt, installByGo, meetsMinVersion, type NatsProgram,
} from '../../deploy/quickstart/servers/nats-program.ts';
import { findPrograms } from '../../deploy/quickstart/servers/programs.ts';

/** Earlier servers have no auth callout and don't report "no responders" across accounts. */
const NEWER_GENERATION = '2.10.0';

export type NatsVersion = 'debian' | 'newest';

/**
 * The servers on this machine: `debian` is older than 2.10, `newest` the newest from 2.10 on. Either may be missing.
 */
export function natsPrograms(): Partial<Record<NatsVersion, NatsProgram>> {
  const cached = process.env['TEST_NATS_PROGRAMS'];
  return cached === undefined ? findNatsPrograms() : JSON.parse(cached) as ReturnType<typeof findNatsPrograms>;
}

function findNatsPrograms(): Partial<Record<NatsVersion, NatsProgram>> {
  const all = findPrograms('nats-server', process.env, [join(goPath(), 'bin'), join(homedir(), 'go', 'bin')])
    .map((path) => ({ path, version: versionOf(path) }))
    .sort((one, other) => (meetsMinVersion(one.version, other.version) ? -1 : 1));
  const found: Partial<Record<NatsVersion, NatsProgram>> = {};
  for (const program of all) {
    const version = meetsMinVersion(program.version, NEWER_GENERATION) ? 'newest' : 'debian';
    found[version] ??= program;
  }
  return found;
}

/** The available versions, for `describe.each`. */
export function natsVersions(): NatsVersion[] {
  return Object.keys(natsPrograms()) as NatsVersion[];
}

function versionOf(path: string): string {
  return /v(\d+\.\d+\.\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1] ?? '0.0.0';
}

function goPath(): string {
  const go = findPrograms('go', process.env, ['/usr/local/go/bin'])[0];
  return go ? execFileSync(go, ['env', 'GOPATH'], { encoding: 'utf8' }).trim() : join(homedir(), 'go');
}

/** How each generation is installed, and how long that takes. */
const INSTALLS = [
  { version: 'debian', install: installByApt, takes: 'some seconds' },
  { version: 'newest', install: installByGo, takes: 'one to two minutes' },
] as const;

/**
 * Installs each generation missing on this machine and reports it. Throws if there is no server afterwards. Child
 * processes need not query each program's version again.
 */
export async function ensureNatsPrograms(say: (line: string) => void): Promise<void> {
  for (const { version, install, takes } of INSTALLS) {
    if (natsPrograms()[version]) continue;
    say(
      `This machine has no nats-server ${version === 'debian' ? 'before' : 'from'} ${NEWER_GENERATION}; installing it takes ${takes}`,
    );
    const startedAt = Date.now();
    try {
      // A compiler that collects no garbage takes a fifth less time, and about a gigabyte.
      await install({ env: { GOGC: 'off', ...process.env }, say });
      say(
        `Installed nats-server ${natsPrograms()[version]?.version} in ${Math.round((Date.now() - startedAt) / 1000)} s`,
      );
    } catch (error) {
      say(`Cannot install it, so tests run without it: ${(error as Error).message}`);
    }
  }
  const programs = findNatsPrograms();
  const found = Object.values(programs).map((program) => program.version);
  if (found.length === 0) {
    throw new Error(
      'Tests need nats-server on the PATH: install it (https://docs.nats.io) and run them again',
    );
  }
  process.env['TEST_NATS_PROGRAMS'] = JSON.stringify(programs);
  say(`Tests run on nats-server ${found.join(' and ')}`);
}
