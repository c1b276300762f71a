import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensurePackages, missingPackage } from '../../../deploy/quickstart/install.mjs';

let root = '';
const lock = (packages: object) =>
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
const installed = (packages: object) => {
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  writeFileSync(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'farwatch-install-'));
  lock({
    '': {}, 'node_modules/koa': { version: '3.0.0' }, 'node_modules/vitest': { version: '4.0.0', dev: true },
    'node_modules/only-mac': { version: '1.0.0', optional: true },
  });
});
afterEach(() => rmSync(root, { recursive: true }));

test('a fresh checkout has no packages', () => {
  expect(missingPackage(root, true)).toBe('none installed yet');
});

test('a start does not require development or optional packages', () => {
  installed({ 'node_modules/koa': { version: '3.0.0' } });
  expect(missingPackage(root, true)).toBe(null);
  expect(missingPackage(root, false)).toBe('vitest is missing');
});

test('a package of a different version than in the lock file must be replaced', () => {
  installed({ 'node_modules/koa': { version: '2.9.0' }, 'node_modules/vitest': { version: '4.0.0' } });
  expect(missingPackage(root, true)).toBe('koa is not 3.0.0');
});

test('an interrupted install counts as none', () => {
  mkdirSync(join(root, 'node_modules/koa'), { recursive: true });
  expect(missingPackage(root, true)).toBe('none installed yet');
});

test.each([
  ['a fresh checkout gets no development packages', null, ['ci', '--omit=dev']],
  ['nor does one that has none', { 'node_modules/koa': { version: '2.9.0' } }, ['install', '--omit=dev']],
  [
    'a checkout for development keeps its own',
    { 'node_modules/koa': { version: '2.9.0' }, 'node_modules/vitest': { version: '3.9.0', dev: true } },
    ['install', '--include=dev'],
  ],
])('at a start %s', async (_, present, wanted) => {
  if (present) installed(present);
  const calls: string[][] = [];
  await ensurePackages({
    root, production: true, say: () => undefined,
    npm: async (args) => void calls.push(args.filter((arg) => /^\w|dev$/.test(arg))),
  });
  expect(calls).toEqual([wanted]);
});
