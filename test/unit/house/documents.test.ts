import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const inFolder = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
const documents =
  [...readdirSync(root), ...inFolder('docs'), ...inFolder('deploy')].filter((path) => path.endsWith('.md'));
const pages = documents.filter((path) => path.startsWith('docs/') && !path.startsWith('docs/adr/0'));

/** Set by the quickstart for its own processes, not by operators. */
const INTERNAL = ['NATS_USERS_FILE', 'NATS_PID_FILE', 'EMBEDDED_PROBE_TOKEN'];

/** Variables declared by the schema in a config file, with their defaults as text; null without one. */
function declared(path: string): Map<string, string | null> {
  const source = read(path);
  const schema = /const variables = z\.object\(\{\n(.*?)\n\}\);/s.exec(source)?.[1] ?? '';
  const fields = schema.split(/^ {2}(?=[A-Z][A-Z_]+:)/m).slice(1);
  return new Map(fields.map((field) => {
    const value = /\.default\(([^)]*)\)/.exec(field)?.[1] ?? '[]';
    const constant = new RegExp(`const ${value.replaceAll(/\W/g, '')} = (\\S+);`).exec(source)?.[1] ?? value;
    return [field.slice(0, field.indexOf(':')), constant === '[]' ? null : constant.replaceAll(/^'|'$/g, '')];
  }));
}

/** The rows of the settings tables: variable and default. */
function documented(): [name: string, value: string][] {
  const rows = [...read('docs/settings.md').matchAll(/^\| `([A-Z_]+)` \| (.*?) \|/gm)];
  return rows.map(([, name = '', value = '']) => [name, value]);
}

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsIn(text: string): Set<string> {
  const headings = [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.*)$/gm)].map((match) => match[1] as string);
  return new Set(headings.map((heading) =>
    heading.toLowerCase().replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')));
}

/** Links of a document to files, and to headings, that do not exist. */
function brokenLinks(path: string): string[] {
  const links = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] as string);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    if (!existsSync(join(root, target))) return true;
    if (anchor === undefined || statSync(join(root, target)).isDirectory()) return anchor !== undefined;
    return !anchorsIn(read(target)).has(anchor);
  });
}

describe('documents', () => {
  test('list every setting that a process reads once, and no others', () => {
    const settings = [...declared('controller/config.ts').keys(), ...declared('probe/config.ts').keys()].filter(
      (name) => !INTERNAL.includes(name),
    );
    expect(settings).toContain('MONGODB_URL');
    expect(documented().map(([name]) => name).sort()).toEqual([...new Set(settings)].sort());
  });

  test('state the default of every setting that has a fixed one, and no others', () => {
    const defaults = new Map([...declared('probe/config.ts'), ...declared('controller/config.ts')]);
    expect([defaults.get('PORT'), defaults.get('DATA_DIR'), defaults.get('SMTP_URL')]).toEqual(['3000', './data', null]);
    // The number of proxies, which people read as "no proxy".
    defaults.set('TRUST_PROXY', 'false');
    const stated = new Map(documented().map(([name, value]) => [name, /^`([^`]*)`$/.exec(value)?.[1] ?? null]));
    for (const name of INTERNAL) defaults.delete(name);
    for (const [name, value] of defaults) expect([name, stated.get(name)]).toEqual([name, value]);
  });

  test('name every bus subject', () => {
    const page = read('docs/nats.md');
    const declaredIn = read('shared/contracts/subjects.ts').matchAll(/[`']([a-z]+)\.(?:\$\{|\*|>)/g);
    const families = new Set([...declaredIn].map((match) => match[1] as string));
    expect(families.size).toBeGreaterThanOrEqual(9);
    for (const family of families) expect(page, family).toContain(`\`${family}.<`);
  });

  test('list every decision', () => {
    const files = readdirSync(join(root, 'docs/adr')).filter((name) => /^\d{4}-/.test(name));
    const listed = [...read('docs/adr/README.md').matchAll(/^\| \[(\d{4})\]\((\S+)\) \|/gm)].map((match) => match[2]);
    expect(listed).toEqual(files.sort());
  });

  test('list every page in the README', () => {
    const overview = read('README.md');
    for (const page of pages) expect(overview).toContain(`](${page})`);
  });

  test('state one version', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(read('shared/version.ts')).toContain(`VERSION = '${version}'`);
  });

  for (const path of pages) {
    test(`${path} says in its first lines whom it is for`, () => {
      expect(read(path).split('\n').slice(0, 5).join('\n')).toMatch(/\b[Ff]or (any|every)?[a-z]+/);
    });
  }

  for (const path of documents) {
    test(`${path} has no broken links`, () => {
      expect(brokenLinks(path)).toEqual([]);
    });
  }
});
