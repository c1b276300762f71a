import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { PATHS } from '../../../controller/console/app/editing/fields.ts';
import * as english from '../../../controller/console/app/texts/en/monitor-fields.ts';
import { root } from '../../root.mjs';

type Texts = Readonly<Record<string, string>>;

const german = { labels: {} as Texts, hints: {} as Texts };
beforeAll(async () => {
  // Imported by path, because their types are for browsers.
  const load = async (file: string) =>
    ((await import(join(root, 'controller/console/app/texts/de', file))) as { default: Texts }).default;
  Object.assign(german, { labels: await load('monitor-fields.ts'), hints: await load('monitor-hints.ts') });
});

describe.each([['English', english], ['German', german]] as const)('form texts in %s', (_name, texts) => {
  test('name each field', () => {
    expect(PATHS.filter((path) => (texts.labels[path] ?? '') === '')).toEqual([]);
    expect(PATHS.filter((path) => typeof texts.hints[path] !== 'string')).toEqual([]);
  });

  test('contain no number, because limits and defaults come from the API', () => {
    const all = PATHS.flatMap((path) => [texts.labels[path], texts.hints[path]]);
    // Protocols have numbers in their names.
    expect(all.filter((text) => /(?<![a-z])\d/.test(text ?? ''))).toEqual([]);
  });
});
