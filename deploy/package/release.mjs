// `npm run release -- [VERSION] [--without-audit]` writes a release into `release/`, and first the version,
// if given, into the sources.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { licensesOf } from './licenses.mjs';

const VERSION = /^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/;
/** Where else the version stands: file → what is before it. */
const VERSIONED = [
  ['shared/version.ts', "VERSION = '"], ['deploy/helm/farwatch/Chart.yaml', '\nversion: '],
  ['deploy/helm/farwatch/Chart.yaml', 'appVersion: '], ['deploy/container/Containerfile', 'ARG VERSION='],
];

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const target = join(root, 'release');
const read = (path) => readFileSync(join(root, path), 'utf8');

/** Standard output of a program. */
const run = async (program, ...args) =>
  (await promisify(execFile)(program, args, { cwd: root, maxBuffer: 100_000_000 })).stdout;

class Refusal extends Error {}

async function release() {
  const { positionals: [wanted, ...others], values } = parseArgs({
    allowPositionals: true, options: { 'without-audit': { type: 'boolean' } },
  });
  if (others.length > 0 || (wanted !== undefined && !VERSION.test(wanted))) {
    throw new Refusal('usage: npm run release -- [VERSION] [--without-audit], such as 1.2.0 or 1.2.0-rc.1');
  }
  const changes = await run('git', 'status', '--porcelain');
  if (changes !== '') throw new Refusal(`the checkout has changes; commit them first:\n${changes.trimEnd()}`);
  const version = wanted ?? JSON.parse(read('package.json')).version;
  const section = changelogSection(version);
  if (!values['without-audit']) await refuseVulnerable();
  if (wanted !== undefined) await writeVersion(version);
  await writeRelease(version, section);
}

/** What the changelog says of a version; a pre-release has the section of its release. */
function changelogSection(version) {
  const names = [version, version.replace(/-.*/, '')];
  const sections = read('CHANGELOG.md').split(/^## /m).slice(1);
  const section = names.map((name) => sections.find((text) => text.split('\n')[0].trim() === name)).find(Boolean);
  if (section === undefined) throw new Refusal(`CHANGELOG.md has no section "## ${names.at(-1)}"`);
  return `## ${section.trimEnd()}\n`;
}

/** Of the packages that the product contains, not of the tools. */
async function refuseVulnerable() {
  // It fails if it finds something, too.
  const report = await run('npm', 'audit', '--omit=dev', '--json').catch(({ stdout }) => stdout);
  const { vulnerabilities, message } = JSON.parse(report || '{}');
  if (vulnerabilities === undefined) {
    throw new Refusal(
      `the packages could not be checked for known vulnerabilities: ${message ?? 'npm audit printed nothing'}\n`
        + 'Use a registry that has an audit endpoint, or pass --without-audit if you have checked them another way.',
    );
  }
  const found = Object.values(vulnerabilities).map(({ name, severity, range }) => `  ${name} ${range} (${severity})`.replace('  (', ' ('));
  if (found.length > 0) throw new Refusal(`packages have known vulnerabilities:\n${found.join('\n')}`);
}

async function writeVersion(version) {
  await run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version', '--ignore-scripts');
  for (const [path, before] of VERSIONED) {
    const text = read(path);
    const start = text.indexOf(before) + before.length;
    const [old] = /^[\w.-]+/.exec(text.slice(start));
    writeFileSync(join(root, path), text.slice(0, start) + version + text.slice(start + old.length));
  }
}

async function writeRelease(version, section) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  const name = `farwatch-${version}`;
  const write = (file, text) => writeFileSync(join(target, file), text);
  write(`${name}.md`, section);
  const sbom = ['--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev', '--package-lock-only'];
  const bill = JSON.parse(await run('npm', 'sbom', ...sbom));
  // npm takes the name of the folder.
  bill.metadata.component.name = 'farwatch';
  write(`${name}.cdx.json`, `${JSON.stringify(bill, null, 2)}\n`);
  const lines = licensesOf(root).map(({ name: of, version: its, license }) => `${of}\t${its}\t${license}\n`);
  write(`${name}.licenses.tsv`, `package\tversion\tlicense\n${lines.join('')}`);
  await run('npm', 'pack', '--pack-destination', target, '--ignore-scripts=false');
  const packed = `${name}.tgz`;
  const digest = createHash('sha256').update(readFileSync(join(target, packed))).digest('hex');
  write(`${packed}.sha256`, `${digest}  ${packed}\n`);
  process.stdout.write(`release/ contains\n${readdirSync(target).map((file) => `  ${file}\n`).join('')}`);
}

release().catch((error) => {
  process.stderr.write(`npm run release: ${error.message}\n`);
  process.exitCode = error instanceof Refusal || error.code?.startsWith('ERR_PARSE_ARGS') ? 2 : 1;
});
