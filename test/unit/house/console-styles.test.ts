import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../root.mjs';

const APP = join(root, 'controller/console/app');
/** Style sheets that every section may use and refine. */
const GENERAL = ['base.css', 'shell.css', 'tokens.css', 'ui.css'];

const sheets = new Map(readdirSync(join(APP, 'styles')).filter((name) => name !== 'main.css')
  .map((name) => [name, classesOf(readFileSync(join(APP, 'styles', name), 'utf8'))]));

/** The class names in the selectors of a style sheet. */
function classesOf(css: string): Set<string> {
  const selectors = css.replace(/\/\*.*?\*\//gs, '').replace(/\{[^{}]*\}/g, '{}');
  return new Set([...selectors.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name as string));
}

test('no section styles a class of another one', () => {
  const general = new Set(GENERAL.flatMap((name) => [...sheets.get(name) ?? []]));
  const owners = new Map<string, string[]>();
  for (const [sheet, classes] of sheets) {
    if (GENERAL.includes(sheet)) continue;
    for (const name of classes) if (!general.has(name)) owners.set(name, [...owners.get(name) ?? [], sheet]);
  }
  expect([...owners].filter(([, by]) => by.length > 1)).toEqual([]);
});

test('every styled class is used', () => {
  const sources = readdirSync(APP, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')).join('\n');
  const tokens = new Set(sources.match(/[a-z][\w-]*/gi));
  // In the sources, a composed class name ends with the hyphen before its last part: `span-${days}`.
  const isUsed = (name: string) => tokens.has(name) || tokens.has(`${name.slice(0, name.lastIndexOf('-') + 1)}`);
  const unused = [...sheets.values()].flatMap((classes) => [...classes]).filter((name) => !isUsed(name));
  expect(unused.filter((name) => !name.startsWith('u-'))).toEqual([]);
});
