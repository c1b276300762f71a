import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { installByApt, installByGo, isVersionAtLeast, type NatsProgram } from '../../deploy/quickstart/nats-program.ts';
import { findPrograms } from '../../deploy/quickstart/programs.ts';

/** Before it, the server has no auth callout and does not tell "no responders" across accounts. */
const NEWER_GENERATION = '2.10.0';

export type NatsVersion = 'debian' | 'newest';

/** The servers of this machine: `debian` is one before 2.10, `newest` the newest from 2.10 on; each may be missing. */
export function natsPrograms(): Partial<Record<NatsVersion, NatsProgram>> {
  const all = findPrograms('nats-server', process.env, [join(goPath(), 'bin'), join(homedir(), 'go', 'bin')])
    .map((path) => ({ path, version: versionOf(path) }))
    .sort((one, other) => (isVersionAtLeast(one.version, other.version) ? -1 : 1));
  const found: Partial<Record<NatsVersion, NatsProgram>> = {};
  for (const program of all) {
    const version = isVersionAtLeast(program.version, NEWER_GENERATION) ? 'newest' : 'debian';
    found[version] ??= program;
  }
  return found;
}

/** The versions that tests can run on here, for `describe.each`. */
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

/**
 * Installs of the two generations what is missing and can be had here. Throws when there is none afterwards; one that
 * could not be had is said to be left out.
 */
export async function ensureNatsPrograms(say: (line: string) => void): Promise<void> {
  for (const [version, install] of [['debian', installByApt], ['newest', installByGo]] as const) {
    if (natsPrograms()[version]) continue;
    await install({ env: process.env, say }).catch((error: Error) => say(`nats-server (${version}) is not to be had here: ${error.message}`));
  }
  const found = Object.values(natsPrograms()).map((program) => program.version);
  if (found.length === 0) throw new Error('Tests need nats-server on the PATH: install it (https://docs.nats.io) and run them again');
  say(`Tests run on nats-server ${found.join(' and ')}`);
}
