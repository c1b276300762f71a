import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from './run-command.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/moving');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'farwatch-convert-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const fileOf = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

test.each(['kuma-1.23.db', 'kuma-2.db', 'kuma-1.x.json'])('convert kuma %s prints a document, and the report on standard error', async (name) => {
  const { exitCode, stdout, stderr } = await runCommand(['convert', 'kuma', join(FIXTURES, name)]);
  expect(exitCode, stderr).toBe(0);
  const document = JSON.parse(stdout);
  expect(Object.keys(document).slice(0, 5)).toEqual(['version', 'groups', 'monitors', 'status_pages', 'integrations']);
  expect(document.monitors).toContainEqual(expect.objectContaining({ name: 'Backup', heartbeat_token: 'a1B2c3D4e5F6g7H8i9J0' }));
  expect(stderr).toContain('skipped: Queue: Farwatch has no check of the type docker.\n');
  expect(stderr).toContain('partial: Database port: It is checked without its proxy.\n');
  expect(stderr).toMatch(/\n\d+ full, \d+ partial, \d+ skipped\n$/);
});

test('convert refuses other files and tools in one line with exit code 2', async () => {
  const table = fileOf('monitors.csv', 'name,type,target\nShop,HTTP,https://shop.example/\n');
  const bomb = fileOf('deep.yaml', `endpoints: ${'['.repeat(100_000)}`);
  const attempts: [string[], RegExp][] = [
    [['gatus', table], /monitors\.csv: The file is not a configuration of Gatus\. It looks like a CSV table of monitors \(from=csv\)$/],
    [['gatus', bomb], /deep\.yaml: The file is /], [['nagios', table], /unknown tool nagios; known are kuma, /],
    [['csv', join(folder, 'missing.csv')], /missing\.csv: ENOENT/], [['csv'], /missing required argument 'file'/],
  ];
  for (const [args, message] of attempts) {
    const { exitCode, stdout, stderr } = await runCommand(['convert', ...args]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^farwatch: .*\n$/);
    expect(stderr.trimEnd()).toMatch(message);
  }
  const { stdout } = await runCommand(['convert', 'csv', table]);
  expect(parse(stdout).monitors).toEqual([{ name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 }]);
});
