import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../../shared/environment.ts';
import { installPackages } from './apt.ts';
import { runQuietly } from '../install.mjs';
import { findPrograms } from './programs.ts';
import { StartError } from '../start-error.ts';

export interface NatsProgram {
  path: string;
  /** For example `2.9.10`. */
  version: string;
}

interface InstallOptions {
  env: Environment;
  say: (line: string) => void;
}

interface FindOptions extends InstallOptions {
  /** Minimum version; null for any. */
  minVersion: string | null;
}

/** From this version on, Go downloads the newer toolchain that a module requires. */
const MIN_GO_VERSION = '1.21.0';
const MODULE = 'github.com/nats-io/nats-server/v2@latest';

/**
 * Finds nats-server on the PATH or where Go installs programs, or installs it with the system's packages or
 * Go. Throws StartError with instructions if all of that fails.
 */
export async function findNatsServer(options: FindOptions): Promise<NatsProgram> {
  const onPath = await firstFitting(findPrograms('nats-server', options.env), options.minVersion);
  if (onPath) return onPath;
  const goBin = await goBinDirs(options.env);
  const found = await firstFitting(findPrograms('nats-server', options.env, goBin), options.minVersion);
  if (found) return found;
  const failures: string[] = [];
  for (const install of options.minVersion === null ? [installByApt, installByGo] : [installByGo]) {
    await install(options).catch((error: Error) => failures.push(error.message));
    const installed = await firstFitting(findPrograms('nats-server', options.env, goBin), options.minVersion);
    if (installed) return installed;
  }
  throw new StartError(notFound(options.minVersion, failures));
}

/** Compares `major.minor.patch` and ignores suffixes (`-beta.1`, `+deb`). */
export function meetsMinVersion(version: string, minVersion: string): boolean {
  const numbers = (text: string) => text.split(/[.+-]/, 3).map((part) => Number.parseInt(part, 10) || 0);
  const [have, need] = [numbers(version), numbers(minVersion)];
  const at = need.findIndex((part, index) => part !== (have[index] ?? 0));
  return at < 0 || (have[at] ?? 0) > (need[at] ?? 0);
}

async function firstFitting(paths: string[], minVersion: string | null): Promise<NatsProgram | null> {
  for (const path of paths) {
    const output = await runQuietly(path, ['--version']).catch(() => '');
    const version = /v(\d+\.\d+\.\d+\S*)/.exec(output)?.[1];
    if (version && (minVersion === null || meetsMinVersion(version, minVersion))) return { path, version };
  }
  return null;
}

async function goBinDirs(env: Environment): Promise<string[]> {
  const goPath = findPrograms('go', env, ['/usr/local/go/bin'])[0];
  const defaultDir = join(homedir(), 'go', 'bin');
  if (env['GOBIN']) return [env['GOBIN'], defaultDir];
  if (env['GOPATH']) return [join(env['GOPATH'], 'bin'), defaultDir];
  if (!goPath) return [defaultDir];
  const output = await runQuietly(goPath, ['env', 'GOPATH']).catch(() => '');
  return [...new Set([join(output.trim() || join(homedir(), 'go'), 'bin'), defaultDir])];
}

/** Installs the Debian or Ubuntu package. Its system service is neither used nor changed. */
export async function installByApt({ env, say }: InstallOptions): Promise<void> {
  say('Installing nats-server (apt-get install nats-server)');
  await installPackages(['nats-server'], env);
}

/** The newest release, built by Go into its bin directory. */
export async function installByGo({ env, say }: InstallOptions): Promise<void> {
  const go = findPrograms('go', env, ['/usr/local/go/bin'])[0];
  if (!go) throw new Error('Go is not installed');
  const version = /go(\d+\.\d+(?:\.\d+)?)/.exec(await runQuietly(go, ['version']))?.[1] ?? '0';
  if (!meetsMinVersion(version, MIN_GO_VERSION)) {
    throw new Error(`Go ${version} is too old: ${MIN_GO_VERSION} or newer is needed`);
  }
  say(`Installing nats-server (go install ${MODULE}; takes about a minute)`);
  await runQuietly(go, ['install', MODULE], { env: { ...env } });
}

function notFound(minVersion: string | null, failures: string[]): string {
  const which = minVersion === null ? 'nats-server' : `nats-server ${minVersion} or newer`;
  return [
    `Farwatch needs ${which} and could not install it:`,
    ...failures.map((failure) => `  - ${failure.replaceAll('\n', '\n    ')}`),
    'Install it on the PATH, or set NATS_URL to a running server.',
    '  - Debian, Ubuntu: apt-get install nats-server',
    '  - macOS: brew install nats-server',
    '  - others: https://docs.nats.io/running-a-nats-service/introduction/installation',
  ].join('\n');
}
