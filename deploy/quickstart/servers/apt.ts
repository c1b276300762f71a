import { existsSync, readFileSync } from 'node:fs';
import type { Environment } from '../../../shared/environment.ts';
import { runQuietly } from '../install.mjs';
import { findPrograms } from './programs.ts';

/** Another apt process may be running. */
const LOCK_TIMEOUT = ['-o', 'DPkg::Lock::Timeout=180'];

/**
 * Installs Debian or Ubuntu `packages`, as root or with passwordless sudo. `options` are for apt-get. Rejects
 * with apt-get's output on failure, and on other systems.
 */
export async function installPackages(
  packages: readonly string[], env: Environment, options: readonly string[] = [],
): Promise<void> {
  const apt = findPrograms('apt-get', env, ['/usr/bin'])[0];
  if (!apt || !isDebianLike()) throw new Error('this is not Debian or Ubuntu');
  const [command, ...prefix] = process.getuid?.() === 0 ? [apt] : ['sudo', '-n', apt];
  const run = (...args: string[]) =>
    runQuietly(command as string, [...prefix, ...LOCK_TIMEOUT, ...options, ...args], {
      env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  const install = () => run('install', '-y', '--no-install-recommends', ...packages);
  await install().catch(async () => {
    await run('update');
    await install();
  });
}

function isDebianLike(): boolean {
  if (!existsSync('/etc/os-release')) return false;
  return /^ID(?:_LIKE)?=.*\b(?:debian|ubuntu)\b/m.test(readFileSync('/etc/os-release', 'utf8'));
}
