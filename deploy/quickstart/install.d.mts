import type { SpawnOptions } from 'node:child_process';

export function ensurePackages(options: {
  root: string;
  production: boolean;
  say: (line: string) => void;
  /** By default the real one. */
  npm?: (args: string[], cwd: string) => Promise<unknown>;
}): Promise<void>;
export function missingPackage(root: string, production: boolean): string | null;
export function runQuietly(command: string, args: string[], options?: Pick<SpawnOptions, 'cwd' | 'env'>): Promise<string>;
