import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';

const STACKS = resolve(import.meta.dirname, '../../../shared/mapped-stacks.ts');
const SOURCE = `import { mapStacks } from ${JSON.stringify(STACKS)};
mapStacks();
function fail(): never {
  throw new TypeError('no such thing');
}
class Odd extends Error {
  override get name(): string { throw new Error('again'); }
}
try {
  fail();
} catch (error) {
  const { stack } = error as Error;
  const idle = Object.assign(new Error('socket idle timeout'), { code: 'UND_ERR_INFO' });
  console.log(JSON.stringify({ stack, odd: new Odd().stack, idle: idle.stack }));
}`;

let dir: string;

beforeAll(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'farwatch-stacks-')));
  writeFileSync(join(dir, 'source.ts'), SOURCE);
  await build({
    entryPoints: [join(dir, 'source.ts')], outfile: join(dir, 'out', 'bundle.mjs'), bundle: true,
    platform: 'node', format: 'esm', sourcemap: true, minifyWhitespace: true, logLevel: 'silent',
  });
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

function run(): { stack: string; odd: string; idle: string } {
  const output = execFileSync(process.execPath, [join(dir, 'out', 'bundle.mjs')], { encoding: 'utf8' });
  return JSON.parse(output) as { stack: string; odd: string; idle: string };
}

test('a stack trace of a bundle names its sources', () => {
  const lines = run().stack.split('\n');
  expect(lines[0]).toBe('TypeError: no such thing');
  expect(lines[1]).toBe(`    at fail (file://${join(dir, 'source.ts')}:4:9)`);
  expect(lines[2]).toBe(`    at file://${join(dir, 'source.ts')}:10:3`);
});

test('an error without a readable name has a stack trace too', () => {
  expect(run().odd).toMatch(/^Error\n {4}at file:/);
});

test('an error that only ends an idle connection loads no map', () => {
  expect(run().idle).toContain(`at file://${join(dir, 'out', 'bundle.mjs')}:`);
});

test('without its map, the stack trace names the bundle', () => {
  rmSync(join(dir, 'out', 'bundle.mjs.map'));
  expect(run().stack).toContain(`at fail (file://${join(dir, 'out', 'bundle.mjs')}:`);
});
