import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runQuietly } from './install.mjs';

const BUILD = fileURLToPath(new URL('build.mjs', import.meta.url));
const SOURCES = ['shared', 'controller', 'probe', 'deploy'];
const MAX_UNUSED_BUNDLES = 3;
const HOUR_MS = 3_600_000;

/**
 * Returns a directory with one `<name>.mjs` per entry point, built if its content hash is new. Concurrent
 * builds are safe: each uses a directory of its own, and all use the first one renamed into place.
 */
export async function ensureBundles({ root, say }) {
  const cache = join(root, 'node_modules/.cache/farwatch');
  const target = join(cache, hashSources(root));
  if (!existsSync(target)) {
    say('Building');
    await build(root, cache, target);
  }
  await holdBundle(target);
  await pruneBundles(cache, target);
  return target;
}

/** Reads files sequentially: buffers of concurrent reads would stay in our memory. */
function hashSources(root) {
  const hash = createHash('sha256');
  const files = [join(root, 'package-lock.json'), join(root, 'deploy/quickstart/bundle.mjs')];
  for (const folder of SOURCES) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (entry.isFile() && !entry.name.endsWith('.md') && entry.name !== 'openapi.d.ts') {
        files.push(join(entry.parentPath ?? entry.path, entry.name));
      }
    }
  }
  for (const file of files.sort()) {
    const content = readFileSync(file);
    hash.update(`${file.slice(root.length)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 16);
}

async function build(root, cache, target) {
  const draft = join(cache, `draft-${process.pid}-${randomUUID()}`);
  await mkdir(draft, { recursive: true });
  try {
    await runQuietly(process.execPath, [BUILD, root, draft]);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
}

/** Records that this process runs from the bundle, so that no other prunes it, and drops ended processes. */
async function holdBundle(target) {
  const dir = join(target, 'held-by');
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, String(process.pid)), '');
  const ended = (await holdersOf(target)).filter((pid) => !isAlive(pid));
  await Promise.all(ended.map((pid) => rm(join(dir, pid), { force: true })));
  const now = new Date();
  await utimes(target, now, now);
}

/** Removes bundles not in use by a running process, except the newest few and any from the last hour. */
async function pruneBundles(cache, current) {
  const names = await readdir(cache);
  const aged = await Promise.all(
    names.map(async (name) => {
      const path = join(cache, name);
      const found = await stat(path).catch(() => null);
      return { path, usedAt: found?.mtimeMs ?? Date.now() };
    }),
  );
  aged.sort((one, other) => other.usedAt - one.usedAt);
  for (const { path, usedAt } of aged.slice(MAX_UNUSED_BUNDLES)) {
    if (path === current || Date.now() - usedAt < HOUR_MS || (await isHeld(path))) continue;
    await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

async function isHeld(bundle) {
  return (await holdersOf(bundle)).some(isAlive);
}

function holdersOf(bundle) {
  return readdir(join(bundle, 'held-by')).catch(() => []);
}

function isAlive(pid) {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
