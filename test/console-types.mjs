import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBundled } from './bundle.mjs';
import { root } from './root.mjs';

const FILE = join(root, 'controller/console/app/api/openapi.d.ts');
/** Inputs of the API document. */
const SOURCES = ['shared', 'controller', 'test/console'];
const APP = join(root, 'controller/console/app');

/** Regenerates the console's API types if the API's sources have changed. */
export async function ensureApiTypes() {
  const stamp = join(root, 'node_modules/.cache/farwatch-test/api-types');
  const hash = hashSources();
  if (existsSync(FILE) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  const { writeApiTypes } = await runBundled('test/console/api-types.ts');
  mkdirSync(join(APP, 'api'), { recursive: true });
  await writeApiTypes(FILE);
  writeFileSync(stamp, hash);
}

function hashSources() {
  const hash = createHash('sha256');
  for (const folder of SOURCES) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath ?? entry.path, entry.name);
      if (entry.isFile() && !path.startsWith(APP)) hash.update(path.slice(root.length)).update(readFileSync(path));
    }
  }
  return hash.digest('hex');
}
