import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Environment } from '../../../shared/environment.ts';

/** Where system packages install servers although a regular user's PATH omits it. */
const SERVER_DIRS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

/** All executables of that name, those on the PATH first; empty if there is none. */
export function findPrograms(name: string, env: Environment, moreDirs: readonly string[] = []): string[] {
  const dirs = [...(env['PATH'] ?? '').split(delimiter).filter(Boolean), ...SERVER_DIRS, ...moreDirs];
  return [...new Set(dirs.map((dir) => join(dir, name)))].filter(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
