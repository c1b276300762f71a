import { execFile } from 'node:child_process';
import {
  existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureBundles } from '../../../deploy/quickstart/bundle.mjs';

const ENTRY_POINTS = [
  'controller/main.ts', 'probe/main.ts', 'deploy/embedded/mongo/main.ts', 'controller/moving/convert-worker.ts',
  'deploy/command/main.ts',
];
const NAMES = ['command.mjs', 'controller.mjs', 'convert.mjs', 'embedded-mongo.mjs', 'probe.mjs'];
const DAY_S = 86_400;

let root = '';
const cache = () => join(root, 'node_modules/.cache/farwatch');
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const build = () => ensureBundles({ root, say: () => undefined });

const BUNDLE = new URL('../../../deploy/quickstart/bundle.mjs', import.meta.url).href;

/** Builds in a separate process, which then runs the rest; `bundles` is the result. */
const run = (rest: string) => promisify(execFile)(process.execPath, ['--input-type=module', '-e', `
  import { readdirSync, readFileSync } from 'node:fs';
  import { ensureBundles } from '${BUNDLE}';
  const bundles = await ensureBundles({ root: ${JSON.stringify(root)}, say: () => {} });
  ${rest}
  process.exit();`]);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'farwatch-bundle-'));
  write('shared/greeting.ts', 'export const greeting: string = "hello";');
  for (const path of ENTRY_POINTS) {
    const up = '../'.repeat(path.split('/').length - 1);
    write(path, `import { greeting } from '${up}shared/greeting.ts';\nconsole.log(greeting);`);
  }
  mkdirSync(join(root, 'node_modules'));
  write('controller/console/monitor-rules.ts', 'export const monitorRules = () => ({});');
  write('controller/console/destination-forms.ts', 'export const destinationForms = () => ({});');
  write('controller/console/app/main.tsx', "import './main.css';\nexport const page = <p>hello</p>;");
  write('controller/console/app/main.css', 'p { margin: 0 }');
  write('controller/console/app/icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
  // The page's code imports it.
  symlinkSync(new URL('../../../node_modules/preact', import.meta.url), join(root, 'node_modules/preact'));
  write('package-lock.json', '{}');
  write('deploy/quickstart/bundle.mjs', '');
});
afterEach(() => rmSync(root, { recursive: true }));

test('concurrent builds produce the same complete bundles and leave no temporary files', async () => {
  const starts = await Promise.all([1, 2].map(() => run('process.stdout.write(bundles);')));
  const dirs = starts.map(({ stdout }) => stdout);
  expect(new Set(dirs).size).toBe(1);
  expect(readdirSync(dirs[0] as string).filter((name) => name.endsWith('.mjs'))).toEqual(NAMES);
  expect(readFileSync(join(dirs[0] as string, 'probe.mjs'), 'utf8')).toContain('hello');
  expect(readdirSync(cache())).toHaveLength(1);
});

test('existing bundles are reused; any change of sources or packages triggers a new build', async () => {
  const first = await build();
  writeFileSync(join(first, 'probe.mjs'), 'as it is');
  expect(await build()).toBe(first);
  expect(readFileSync(join(first, 'probe.mjs'), 'utf8')).toBe('as it is');
  write('shared/greeting.ts', 'export const greeting: string = "good day";');
  const second = await build();
  expect(second).not.toBe(first);
  write('package-lock.json', '{ }');
  expect(await build()).not.toBe(second);
  expect(existsSync(first)).toBe(true);
});

test.runIf(existsSync('/proc/self/task'))('a build leaves no process behind', async () => {
  const { stdout } = await run(`
    const threads = readdirSync('/proc/self/task');
    const children = threads.map((id) => readFileSync('/proc/self/task/' + id + '/children', 'utf8'));
    process.stdout.write('children: ' + children.join(''));`);
  expect(stdout).toBe('children: ');
});

test('an error in the source is reported and leaves no files behind', async () => {
  write('probe/main.ts', 'const = ;');
  await expect(build()).rejects.toThrow(/probe\/main\.ts/);
  expect(readdirSync(cache())).toEqual([]);
});

test('old bundles are deleted, except the newest and those in use by a running process', async () => {
  const ageDays = { held: 9, dead: 8, empty: 7, third: 3, second: 2 };
  for (const [name, days] of Object.entries(ageDays)) {
    mkdirSync(join(cache(), name, 'held-by'), { recursive: true });
    if (name === 'held') writeFileSync(join(cache(), name, 'held-by', String(process.ppid)), '');
    if (name === 'dead') writeFileSync(join(cache(), name, 'held-by', '4194304'), '');
    const at = Date.now() / 1000 - days * DAY_S;
    utimesSync(join(cache(), name), at, at);
  }
  const current = await build();
  expect(readdirSync(cache()).sort()).toEqual(
    [current.slice(cache().length + 1), 'held', 'second', 'third'].sort(),
  );
});
