import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const VERSION = '1.0.0-rc.99';

let clone = '';
let registry: Server;
/** What it knows about the packages; null if it has no audit endpoint. */
let advisories: Record<string, unknown> | null = {};

const env = () => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))),
  npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}`,
});
const run = async (program: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(program, args, { cwd: clone, env: env() })).stdout;
const release = (...args: string[]) => run('npm', 'run', '--silent', 'release', '--', ...args);
const changes = () => run('git', 'status', '--porcelain');
const read = (path: string) => readFileSync(join(clone, path), 'utf8');

beforeAll(async () => {
  clone = mkdtempSync(join(tmpdir(), 'farwatch-release-'));
  registry = createServer((request, response) => {
    const isAudit = request.method === 'POST' && advisories !== null;
    request.resume().once('end', () => response.writeHead(isAudit ? 200 : 404).end(JSON.stringify(advisories ?? {})));
  });
  await new Promise<void>((done) => registry.listen(0, '127.0.0.1', done));
  // The last commit of this checkout.
  await run('git', 'clone', '--quiet', '--depth', '1', `file://${ROOT}`, '.');
  appendFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
});
beforeEach(async () => {
  advisories = {};
  await run('git', 'checkout', '--quiet', '.');
});
afterAll(() => {
  registry?.close();
  rmSync(clone, { recursive: true, force: true });
});

test('a release has the tarball with its checksum, the section of the changelog, an SBOM and the licenses', async () => {
  await release(VERSION);
  const files = readdirSync(join(clone, 'release'));
  expect(files).toEqual(['.cdx.json', '.licenses.tsv', '.md', '.tgz', '.tgz.sha256'].map((end) => `farwatch-${VERSION}${end}`));
  await run('sh', '-c', 'cd release && sha256sum --check --strict *.sha256');
  expect(read(`release/farwatch-${VERSION}.md`)).toMatch(/^## 1\.0\.0\n/);
  const { bomFormat, metadata, components } = JSON.parse(read(`release/farwatch-${VERSION}.cdx.json`)) as {
    bomFormat: string; metadata: { component: unknown }; components: { name: string }[];
  };
  expect({ bomFormat, component: metadata.component })
    .toMatchObject({ bomFormat: 'CycloneDX', component: { name: 'farwatch', version: VERSION } });
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['koa', 'mongodb', 'lmdb']));
  expect(names).not.toContain('vitest');
  expect(read(`release/farwatch-${VERSION}.licenses.tsv`)).toMatch(/^koa\t\S+\tMIT$/m);
  expect((await changes()).trim().split('\n').map((line) => line.trim()))
    .toEqual([
      'M deploy/container/Containerfile', 'M deploy/helm/farwatch/Chart.yaml', 'M package-lock.json', 'M package.json',
      'M shared/version.ts',
    ]);
  expect(read('shared/version.ts')).toContain(`VERSION = '${VERSION}'`);
  expect(read('deploy/container/Containerfile')).toContain(`ARG VERSION=${VERSION}\n`);
  expect(read('deploy/helm/farwatch/Chart.yaml')).toContain(`\nversion: ${VERSION}\nappVersion: ${VERSION}\n`);
});

test('a checkout with changes is refused', async () => {
  writeFileSync(join(clone, 'shared/version.ts'), 'x');
  await expect(release(VERSION)).rejects.toMatchObject({ stderr: expect.stringContaining('shared/version.ts') as string });
});

test('a known vulnerability is named and refused', async () => {
  const advisory = { id: 1, url: 'https://example.org/1', title: 'Bad', severity: 'high', vulnerable_versions: '*' };
  advisories = { koa: [{ ...advisory, cwe: [], cvss: { score: 0 } }] };
  await expect(release(VERSION)).rejects.toMatchObject({ stderr: expect.stringMatching(/ {2}koa.*\(high\)/) as string });
  expect(await changes()).toBe('');
});

test('a registry without an audit endpoint is refused, unless told otherwise', async () => {
  advisories = null;
  await expect(release(VERSION)).rejects.toMatchObject({
    stderr: expect.stringContaining('could not be checked for known vulnerabilities') as string,
  });
  expect(await changes()).toBe('');
  expect(await release('--without-audit')).toContain('.cdx.json');
});

test.each(['2.0', '999.0.0', '--without', `${VERSION} more`])('%s is refused', async (args) => {
  await expect(release(...args.split(' '))).rejects.toThrow();
  expect(await changes()).toBe('');
});
