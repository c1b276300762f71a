import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');
const COMMENTS = /\/\*.*?\*\/|(?<=^|\s)\/\/[^\n]*/gs;
const TEXTS = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g;

/** The identifiers of the product's code. Prose in template literals and JSX may be among them. */
const identifiers = new Set(['shared', 'controller', 'probe', 'deploy'].flatMap((folder) => {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  // The texts of the console and of pages are for users.
  const sources = names.filter((name) => /\.(ts|tsx|mjs)$/.test(name) && !/\.d\.m?ts$|texts/.test(name));
  return sources.flatMap((name) =>
    readFileSync(join(root, folder, name), 'utf8').replaceAll(COMMENTS, ' ').replaceAll(TEXTS, ' ').match(/[A-Za-z_$][\w$]*/g) ?? []);
}));
/** The words within identifiers: `is`, `in` and `doubt` of `isInDoubt`. */
const words = new Set([...identifiers].flatMap((name) =>
  name.split(/[_$]|(?<=[a-z\d])(?=[A-Z])/).map((word) => word.toLowerCase())));

const terms = readFileSync(join(root, 'GLOSSARY.md'), 'utf8').split('\n')
  .filter((line) => /^\| (?!word |---)/.test(line))
  .map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()));

test('each term of the glossary has a word, a meaning, identifiers and words that are not used', () => {
  expect(terms.length).toBeGreaterThan(50);
  expect(terms.filter((cells) => cells.length !== 4 || cells[1] === '')).toEqual([]);
  const defined = terms.flatMap(([word = '']) => word.split(', '));
  expect(defined).toEqual([...new Set(defined)]);
});

test('identifiers that the glossary names exist', () => {
  const named = terms.flatMap(([, , code = '']) => [...code.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((name) => !identifiers.has(name))).toEqual([]);
});

test('no identifier contains a word that the glossary excludes', () => {
  const excluded = terms.flatMap(([, , , not = '']) => not.split(', ').filter((word) => word !== ''));
  expect(excluded.length).toBeGreaterThan(15);
  expect(excluded.filter((word) => words.has(word))).toEqual([]);
});
