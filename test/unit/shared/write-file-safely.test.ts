import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeFileSafely } from '../../../shared/write-file-safely.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'farwatch-write-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a file replaced concurrently has the complete content of one writer', async () => {
  const path = join(folder, 'users.conf');
  const contents = Array.from({ length: 20 }, (_, number) => `${number} `.repeat(10_000));
  await Promise.all(contents.map((content) => writeFileSafely(path, content)));
  expect(contents).toContain(readFileSync(path, 'utf8'));
  expect(readdirSync(folder)).toEqual(['users.conf']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a failed replacement leaves the old file and no temporary file', async () => {
  const path = join(folder, 'taken');
  mkdirSync(path);
  await expect(writeFileSafely(path, 'a secret')).rejects.toThrow();
  expect(readdirSync(folder).sort()).toEqual(['taken', 'users.conf']);
});
