import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
/**
 * These record every command and fail on one outside the allowed list. Benchmarks are exempt, because
 * recording takes time.
 */
const CHECKED = ['test/helpers/checked-mongo.ts'];

function readdirOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts'),
  ).map((name) => `${folder}/${name}`);
}

test('tests open the database for product code only where its commands are recorded', () => {
  const files = readdirOf('test').filter(
    (file) => !file.startsWith('test/bench/') && /openMongo\(/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(files.filter((file) => !file.endsWith('checked-database.test.ts')).sort()).toEqual(CHECKED);
});

test('controllers in tests are recorded, too', () => {
  const files =
    readdirOf('test').filter((file) => /startController\(/.test(readFileSync(join(ROOT, file), 'utf8')));
  for (const file of files.filter((one) => !one.endsWith('checked-database.test.ts'))) {
    expect(readFileSync(join(ROOT, file), 'utf8'), file).toMatch(/onCommand\b/);
  }
});
