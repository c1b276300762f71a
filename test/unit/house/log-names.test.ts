import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
/** Fields that the logger writes itself: a line would contain them twice. */
const TAKEN = /\blog\.(?:trace|debug|info|warn|error|fatal)\(\{[^}]*\b(?:name|level|time|pid|msg):/;

test('no log line contains a field twice', () => {
  const files = ['controller', 'probe', 'shared', 'deploy'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.(?:ts|mjs)$/.test(name),
    ).map((name) => join(folder, name)));
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => TAKEN.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
  expect(TAKEN.test("log.info({ probe_id: id, name: 'x' }, 'probe status')")).toBe(true);
});
