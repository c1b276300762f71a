import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const inFolder = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
const documents =
  [...readdirSync(root), ...inFolder('docs'), ...inFolder('deploy')].filter((path) => path.endsWith('.md'));

/** Set by the quickstart for its own processes, not by operators. */
const INTERNAL = ['NATS_USERS_FILE', 'NATS_PID_FILE', 'EMBEDDED_PROBE_TOKEN'];

/** Variables declared by the schema in a config file. */
function declared(path: string): string[] {
  const schema = /const variables = z\.object\(\{\n(.*?)\n\}\);/s.exec(read(path))?.[1] ?? '';
  return [...schema.matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map((match) => match[1] as string);
}

/** Variables in the first column of the settings table. */
function documented(): string[] {
  const settings = read('README.md').split('## Settings')[1]?.split('\n## ')[0] ?? '';
  const columns =
    settings.split('\n').filter((line) => line.startsWith('| `')).map((line) => line.split('|')[1] ?? '');
  return columns.flatMap((column) => [...column.matchAll(/`([A-Z_]+)`/g)].map((match) => match[1] as string));
}

describe('documents', () => {
  test('name every setting that a process reads, and no others', () => {
    const settings = [...declared('controller/config.ts'), ...declared('probe/config.ts')].filter(
      (name) => !INTERNAL.includes(name),
    );
    expect(settings).toContain('MONGODB_URL');
    expect([...new Set(documented())].sort()).toEqual([...new Set(settings)].sort());
  });

  test('name every bus subject', () => {
    const page = read('docs/nats.md');
    const declaredIn = read('shared/contracts/subjects.ts').matchAll(/[`']([a-z]+)\.(?:\$\{|\*|>)/g);
    const families = new Set([...declaredIn].map((match) => match[1] as string));
    expect(families.size).toBeGreaterThanOrEqual(9);
    for (const family of families) expect(page, family).toContain(`\`${family}.<`);
  });

  for (const path of documents) {
    test(`${path} has no broken links`, () => {
      const links =
        [...read(path).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1] as string);
      const local = links.filter((link) => !/^[a-z]+:/.test(link));
      const broken = local.filter((link) => !existsSync(join(root, dirname(path), link)));
      expect(broken).toEqual([]);
    });
  }
});
