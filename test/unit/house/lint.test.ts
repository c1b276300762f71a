import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plantTree, type PlantedTree } from './planted-tree.ts';

interface Planted {
  path: string;
  text: string;
  /** The only rule that must report the file; null if none may. */
  rule: string | null;
}

const syntax = 'house(no-such-syntax)';
const planted: Planted[] = [
  { path: 'controller/reads-now.ts', text: 'export const at = (): number => Date.now();\n', rule: syntax },
  { path: 'controller/reads-date.ts', text: 'export const at = (): Date => new Date();\n', rule: syntax },
  { path: 'shared/can-parse.ts', text: 'export const isUrl = (text: string): boolean => URL.canParse(text);\n', rule: syntax },
  {
    path: 'probe/breaks-tls.ts',
    text: 'export const legacyOf = (one: { toLegacyObject(): object }): object => one.toLegacyObject();\n', rule: syntax,
  },
  {
    path: 'probe/loads-tls.ts',
    text: 'import { connect } from \'node:tls\';\n\nexport const dial = connect;\n'
      + 'export const legacyOf = (one: { toLegacyObject(): object }): object => one.toLegacyObject();\n',
    rule: null,
  },
  { path: 'controller/parses-date.ts', text: 'export const at = (): Date => new Date(5);\n', rule: null },
  {
    path: 'probe/sets-timer.ts',
    text: 'export const later = (fire: () => void): unknown => setTimeout(fire, 5);\n',
    rule: 'eslint(no-restricted-globals)',
  },
  {
    path: 'shared/sets-interval.ts',
    text: 'export const often = (fire: () => void): unknown => setInterval(fire, 5);\n',
    rule: 'eslint(no-restricted-globals)',
  },
  {
    path: 'shared/sleeps.ts', text: 'export { setTimeout as sleep } from \'node:timers/promises\';\n',
    rule: 'eslint(no-restricted-imports)',
  },
  {
    path: 'shared/time.ts',
    text: 'export const at = (): number => Date.now();\nexport const later = (fire: () => void): unknown => setTimeout(fire, 5);\n',
    rule: null,
  },
  {
    path: 'controller/reads-environment.ts',
    text: 'export const port = (): string | undefined => process.env[\'PORT\'];\n', rule: syntax,
  },
  {
    path: 'probe/takes-environment.ts',
    text: 'export function port(): string | undefined {\n  const { env } = process;\n  return env[\'PORT\'];\n}\n',
    rule: syntax,
  },
  {
    path: 'controller/monitors/config.ts',
    text: 'export const port = (): string | undefined => process.env[\'PORT\'];\n', rule: syntax,
  },
  {
    path: 'controller/config.ts',
    text: 'export const port = (): string | undefined => process.env[\'PORT\'];\n', rule: null,
  },
  {
    path: 'shared/keeps-state.ts', text: 'let count = 0;\nexport const next = (): number => count++;\n',
    rule: syntax,
  },
  { path: 'shared/exports-state.ts', text: 'export let count = 0;\ncount += 1;\n', rule: syntax },
  {
    path: 'probe/works-at-import.ts',
    text: 'export const early = await Promise.resolve(1);\nawait Promise.resolve(early);\n', rule: syntax,
  },
  { path: 'probe/main.ts', text: 'await Promise.resolve(process.env);\nexport {};\n', rule: null },
  {
    path: 'controller/main.ts',
    text: 'import type { Db } from \'mongodb\';\nexport type Handle = Db;\nawait Promise.resolve(process.env);\n',
    rule: null,
  },
  {
    path: 'controller/wiring/results.ts',
    text: 'import type { Db } from \'mongodb\';\nexport type Handle = Db;\n', rule: null,
  },
  {
    path: 'controller/results/queries.ts',
    text: 'import type { Db } from \'mongodb\';\nexport type Handle = Db;\n', rule: 'eslint(no-restricted-imports)',
  },
  {
    path: 'controller/monitors/store.ts',
    text: 'import type { Db } from \'mongodb\';\nexport type Handle = Db;\n', rule: null,
  },
  {
    path: 'controller/results/journal/journal-store.ts',
    text: 'import type { Db } from \'mongodb\';\nexport type Handle = Db;\n', rule: null,
  },
  {
    path: 'controller/speaks.ts', text: 'export { connect } from \'nats\';\n', rule: 'eslint(no-restricted-imports)',
  },
  { path: 'probe/runner.ts', text: 'export { connect } from \'nats\';\n', rule: 'eslint(no-restricted-imports)' },
  { path: 'shared/speaks.ts', text: 'export { connect } from \'nats\';\n', rule: 'eslint(no-restricted-imports)' },
  { path: 'shared/nats-connection.ts', text: 'export { connect } from \'nats\';\n', rule: null },
  { path: 'probe/link-nats.ts', text: 'export { connect } from \'nats\';\n', rule: null },
  { path: 'controller/platform/bus/bus.ts', text: 'export { connect } from \'nats\';\n', rule: null },
  {
    path: 'controller/posts.ts', text: 'export { request } from \'undici\';\n', rule: 'eslint(no-restricted-imports)',
  },
  { path: 'controller/gets.ts', text: 'export { get } from \'node:http\';\n', rule: 'eslint(no-restricted-imports)' },
  {
    path: 'controller/fetches.ts',
    text: 'export const read = (url: string): Promise<Response> => fetch(url);\n',
    rule: 'eslint(no-restricted-globals)',
  },
  { path: 'controller/serves.ts', text: 'export { createServer } from \'node:http\';\n', rule: null },
  {
    path: 'controller/platform/outbound/poster.ts', text: 'export { request } from \'undici\';\n', rule: null,
  },
  {
    path: 'controller/accounts/letters.ts', text: 'export { createTransport } from \'nodemailer\';\n',
    rule: 'eslint(no-restricted-imports)',
  },
  {
    path: 'controller/platform/poster-letters.ts', text: 'export { default } from \'mailgun.js\';\n',
    rule: 'eslint(no-restricted-imports)',
  },
  {
    path: 'controller/platform/mail/mail-smtp.ts', text: 'export { createTransport } from \'nodemailer\';\n',
    rule: null,
  },
  { path: 'probe/checks/http.ts', text: 'export { request } from \'undici\';\n', rule: null },
  {
    path: 'controller/monitors/interval-rules.ts',
    text: 'export async function rule(): Promise<number> {\n  return Promise.resolve(1);\n}\n', rule: syntax,
  },
  {
    path: 'probe/scheduler/rules.ts', text: 'export const rule = (): number => Math.random();\n', rule: syntax,
  },
  {
    path: 'probe/sound-rules.ts', text: 'export const rule = (now: number): number => now + 1;\n', rule: null,
  },
  {
    path: 'shared/any.ts', text: 'export const id = (value: any): unknown => value;\n',
    rule: 'typescript(no-explicit-any)',
  },
  {
    path: 'shared/type-import.ts',
    text: 'import { Server } from \'node:net\';\nexport type Handle = Server;\n',
    rule: 'typescript(consistent-type-imports)',
  },
  {
    path: 'shared/floating.ts',
    text: 'export function start(work: () => Promise<void>): void {\n  work();\n}\n',
    rule: 'typescript(no-floating-promises)',
  },
  {
    path: 'shared/misused.ts',
    text: 'export const run = (each: (fn: () => void) => void): void => each(async () => Promise.resolve());\n',
    rule: 'typescript(no-misused-promises)',
  },
  {
    path: 'shared/throws.ts', text: 'export function fail(): never {\n  throw \'no\';\n}\n',
    rule: 'typescript(only-throw-error)',
  },
  {
    path: 'shared/unused.ts', text: 'const left = 1;\nexport {};\n',
    rule: 'eslint(no-unused-vars)',
  },
  { path: 'shared/prints.ts', text: 'export const say = (): void => console.log(1);\n', rule: 'eslint(no-console)' },
  { path: 'shared/todo.ts', text: '// TODO do it\nexport {};\n', rule: 'house(todo-with-issue)' },
  { path: 'shared/todo-numbered.ts', text: '// TODO(#12): do it\nexport {};\n', rule: null },
  {
    path: 'shared/banner.ts', text: '// ---------- part two ----------\nexport {};\n',
    rule: 'house(no-banner)',
  },
  { path: 'shared/private-word.ts', text: 'export const heardAt = 1;\n', rule: 'house(plain-names)' },
  { path: 'shared/private-limit.ts', text: 'export const MOST_MONITORS = 1;\n', rule: 'house(plain-names)' },
  { path: 'shared/private-field.ts', text: 'export interface Seen {\n  told: boolean;\n}\n', rule: 'house(plain-names)' },
  { path: 'shared/camelCase.ts', text: 'export {};\n', rule: 'house(file-name)' },
  { path: 'controller/utils/odds.ts', text: 'export {};\n', rule: 'house(file-name)' },
  { path: 'controller/helpers.ts', text: 'export {};\n', rule: 'house(file-name)' },
  { path: 'shared/double.ts', text: 'export const text = "double";\n', rule: '@stylistic(quotes)' },
  {
    path: 'shared/wide.ts',
    text: `export const sum = [${Array.from({ length: 24 }, () => '10').join(', ')}];\n`, rule: '@stylistic(max-len)',
  },
  {
    path: 'test/unit/wide.test.ts',
    text: `export const sum = [${Array.from({ length: 24 }, () => '10').join(', ')}];\n`, rule: null,
  },
  {
    path: 'test/unit/sleeps.test.ts', text: 'await new Promise((done) => setTimeout(done, 5));\nexport {};\n',
    rule: syntax,
  },
  {
    path: 'test/e2e/sleeps.test.ts', text: 'export { setTimeout } from \'node:timers/promises\';\n',
    rule: 'eslint(no-restricted-imports)',
  },
  {
    path: 'test/unit/mocks.test.ts', text: 'import { vi } from \'vitest\';\nvi.mock(\'../x.ts\');\n',
    rule: syntax,
  },
  {
    path: 'test/unit/alone.test.ts',
    text: 'import { test } from \'vitest\';\ntest.only(\'x\', () => undefined);\n', rule: syntax,
  },
  {
    path: 'test/browser/hasty.test.ts',
    text: 'declare const row: { count(): Promise<number> };\ndeclare function expect(value: unknown): void;\n'
      + 'expect(await row.count());\n',
    rule: syntax,
  },
  {
    path: 'test/browser/address.test.ts',
    text: 'declare const page: { url(): string };\ndeclare function expect(value: unknown): void;\n'
      + 'expect(new URL(page.url()).pathname);\n',
    rule: syntax,
  },
  {
    path: 'test/browser/patient.test.ts',
    text: 'import { expect } from \'vitest\';\n\ndeclare const row: { count(): Promise<number> };\n'
      + 'await expect.poll(() => row.count()).toBe(1);\n',
    rule: null,
  },
  {
    path: 'test/helpers/until.ts', text: 'await new Promise((done) => setTimeout(done, 5));\nexport {};\n',
    rule: null,
  },
];

describe('lint settings', () => {
  const found = new Map<string, Set<string>>();
  let tree: PlantedTree;

  beforeAll(async () => {
    tree = plantTree(
      Object.fromEntries(planted.map(({ path, text }) => [path, text])), ['oxlint.config.js', 'lint-rules.js'],
    );
    for (const { path } of planted) found.set(path, new Set());
    for (const { filename, code } of await lint(tree.root)) found.get(filename)?.add(code);
  });
  afterAll(() => tree?.remove());

  for (const { path, rule } of planted) {
    test(rule ? `${rule} reports ${path}` : `no rule reports ${path}`, () => {
      expect([...found.get(path) ?? []]).toEqual(rule ? [rule] : []);
    });
  }
});

async function lint(cwd: string): Promise<{ filename: string; code: string }[]> {
  const oxlint = join(cwd, 'node_modules/.bin/oxlint');
  const output = await new Promise<string>((resolve, reject) => {
    execFile(oxlint, ['-c', 'oxlint.config.js', '--format', 'json'], { cwd }, (error, stdout, stderr) => {
      // The exit code is 1 if it reports anything.
      if (error && error.code !== 1) reject(new Error(stderr, { cause: error }));
      else resolve(stdout);
    });
  });
  return (JSON.parse(output) as { diagnostics: { filename: string; code: string }[] }).diagnostics;
}
