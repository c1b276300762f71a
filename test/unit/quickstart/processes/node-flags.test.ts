import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { supportedFlags } from '../../../../deploy/quickstart/processes/node-flags.ts';
import { STORE_FLAGS } from '../../../../deploy/quickstart/processes/process-spec.ts';

const UNKNOWN = ['--no-flag-of-tomorrow', '--flag_of_yesterday=8'];

test('flags unknown to this Node.js are left out, and it starts with the others', async () => {
  const supported = await supportedFlags(process.execPath, [...UNKNOWN, ...STORE_FLAGS]);
  expect(supported).toEqual(STORE_FLAGS);
  const start = (flags: readonly string[]) =>
    execFileSync(process.execPath, [...flags, '-p', '"started"'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  expect(start(supported)).toBe('started\n');
  expect(() => start(UNKNOWN)).toThrow();
});

test('a flag is recognized whether it is negated, has a value, or is written with underscores', async () => {
  const flags = ['--parallel_scavenge', '--no-parallel-scavenge', '--max_old_space_size=64', '--enable-source-maps'];
  expect(await supportedFlags(process.execPath, flags)).toEqual(flags);
});

test('V8 flags are left out if the program does not list them', async () => {
  expect(await supportedFlags('/nowhere/node', ['--parallel-scavenge', '--enable-source-maps'])).toEqual([
    '--enable-source-maps',
  ]);
});
