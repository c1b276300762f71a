import { expect, test } from 'vitest';
import { each, restoring } from '../../../controller/platform/mongo/documents.ts';

interface Stored {
  name: string;
  owner: string | null;
  note?: string | null;
  parts: { at: number | null }[];
  places: Record<string, { at: number | null }>;
  held: { since: number | null } | null;
}

const part = restoring<{ at: number | null }>({ at: null });
const restore = restoring<Stored>({ owner: null, held: null }, {
  parts: each(part), places: each(part), held: restoring<NonNullable<Stored['held']>>({ since: null }),
});

test('sets missing nullable fields to null at any depth', () => {
  const stored = { name: 'n', parts: [{}, { at: 1 }], places: { here: {} }, held: {} } as unknown as Stored;
  expect(restore(stored)).toEqual({
    name: 'n', owner: null, parts: [{ at: null }, { at: 1 }], places: { here: { at: null } }, held: { since: null },
  });
});

test('keeps fields with a value, and optional fields that are not listed', () => {
  const stored = { name: 'n', owner: 'o', parts: [], places: {} } as unknown as Stored;
  expect(restore(stored)).toEqual({ name: 'n', owner: 'o', parts: [], places: {}, held: null });
});
