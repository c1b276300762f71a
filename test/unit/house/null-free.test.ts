import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { isNullFree } from '../../null-free.mjs';

const NAMES = ['api/groups', 'api/probes', 'api/subscribers', 'bus/domains', 'store/retention', 'store/group-race'];
const LISTED = NAMES.map((name) => `${name}.test.ts`);
const SEEDS = Array.from({ length: 40 }, (_, at) => String(at));

test('all listed files run without nulls on demand, and by default none', () => {
  for (const file of LISTED) {
    expect(existsSync(resolve(import.meta.dirname, '../..', file))).toBe(true);
    expect(isNullFree(file, { TEST_WITHOUT_NULLS: 'all' })).toBe(true);
    expect(isNullFree(file, {})).toBe(false);
  }
});

test('a seed selects about half of them, and always the same', () => {
  for (const file of LISTED) {
    const selected = SEEDS.filter((seed) => isNullFree(file, { TEST_SEED: seed }));
    expect(selected).toEqual(SEEDS.filter((seed) => isNullFree(file, { TEST_SEED: seed })));
    expect(selected.length).toBeGreaterThan(8);
    expect(selected.length).toBeLessThan(32);
  }
});

test('other files never run without nulls', () => {
  expect(isNullFree('store/update.test.ts', { TEST_WITHOUT_NULLS: 'all' })).toBe(false);
});
