import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiSession } from '../helpers/api-session.ts';
import { startFarwatch, type Farwatch } from '../helpers/farwatch.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MAX_BYTES = 12_000_000;
const MAX_START_MS = 20_000;

let dir = '';
let packed = '';
let manifest = '';
let farwatch: Farwatch;

/** With a proxy of this machine, but without what the npm that runs the tests has set. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
const run = async (cwd: string, program: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(program, args, { cwd, env })).stdout;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'farwatch-package-'));
  manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
  await run(ROOT, 'npm', 'pack', '--pack-destination', dir);
  packed = join(dir, readdirSync(dir)[0] as string);
});
afterAll(async () => {
  await farwatch?.stop();
  rmSync(dir, { recursive: true, force: true });
});

test('npm pack leaves package.json as it is', () => {
  expect(readFileSync(join(ROOT, 'package.json'), 'utf8')).toBe(manifest);
});

test('the package has at most 12 MB: built code, without sources and tests', async () => {
  expect(statSync(packed).size).toBeLessThan(MAX_BYTES);
  const files = (await run(dir, 'tar', 'tzf', packed)).trim().split('\n');
  expect(files).toContain('package/dist/THIRD-PARTY-LICENSES.txt');
  expect(files.filter((path) => /\.tsx?$|\/test\//.test(path))).toEqual([]);
});

test('npm installs it into an empty folder, and npx farwatch is ready within 20 s', async () => {
  await run(dir, 'npm', 'install', '--prefix', dir, packed);
  const startedAt = performance.now();
  farwatch = await startFarwatch({ command: ['npx', 'farwatch'], cwd: dir });
  expect(performance.now() - startedAt).toBeLessThan(MAX_START_MS);
});

test('the installed package has everything that the controller serves', async () => {
  const page = await (await fetch(`${farwatch.url}/api/docs`)).text();
  const files = [...page.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, path]) => path as string);
  expect(files.length).toBeGreaterThan(2);
  for (const path of [...files, '/', '/api/openapi.json']) {
    const { status } = await fetch(new URL(path, `${farwatch.url}/api/docs`));
    expect(`${path} ${status}`).toBe(`${path} 200`);
  }
  const session = await new ApiSession(farwatch.url).begin();
  const { key } = await session.ok<{ key: string }>('POST', '/api/auth/api-keys', { name: 'packaged' });
  const yaml = await fetch(`${farwatch.url}/api/export?format=yaml`, { headers: { 'X-API-Key': key } });
  expect(await yaml.text()).toContain('monitors: []');
});

test('its commands install and build nothing, and refuse what they do not know', async () => {
  expect(await run(dir, 'npx', 'farwatch', '--version')).toBe(`${(JSON.parse(manifest) as { version: string }).version}\n`);
  await expect(run(dir, 'npx', 'farwatch', 'unknown')).rejects.toMatchObject({
    code: 2, stdout: '', stderr: expect.stringMatching(/^farwatch: unknown command 'unknown'.*\n$/) as string,
  });
});
