import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installPackages } from '../../deploy/quickstart/servers/apt.ts';
import { withMachineLock } from '../../deploy/quickstart/machine-lock.mjs';

/** Programs with which packages start their system services. */
const STARTERS = ['invoke-rc.d', 'deb-systemd-invoke', 'systemctl', 'initctl', 'service'];

/**
 * Installs those of Debian's `packages` that this machine lacks, without starting their services and without
 * removing any other package. Rejects if that fails: these tests are never skipped.
 */
export async function ensureDebianPackages(...packages: string[]): Promise<void> {
  if ((await missingOf(packages)).length === 0) return;
  await withMachineLock('apt', tmpdir(), async () => {
    const missing = await missingOf(packages);
    if (missing.length === 0) return;
    try {
      await withoutServices((options) => installPackages(missing, process.env, ['--no-remove', ...options]));
    } catch (error) {
      const list = missing.join(' ');
      throw new Error(`These tests need the Debian packages ${list}, which cannot be installed`, { cause: error });
    }
  });
}

async function missingOf(packages: string[]): Promise<string[]> {
  const args = ['-W', '-f', '${Package} ${db:Status-Status}\n', ...packages];
  // It fails if it does not know one of them, but still lists the others.
  const { stdout } = await promisify(execFile)('dpkg-query', args)
    .catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }));
  const lines = stdout.split('\n');
  return packages.filter((name) => !lines.includes(`${name} installed`));
}

/** Calls `install` with apt-get options that give packages service programs that start nothing. */
async function withoutServices(install: (options: string[]) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-apt-'));
  chmodSync(dir, 0o755);
  for (const name of STARTERS) writeFileSync(join(dir, name), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  try {
    await install(['-o', `DPkg::Path=${dir}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`]);
  } finally {
    rmSync(dir, { recursive: true });
  }
}
