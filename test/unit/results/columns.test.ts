import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromColumns, toColumns } from '../../../controller/results/writing/columns.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

const BLANK = { a: 0, b: null, c: [] };

const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

test('objects are read as they were stored, with the fields of the blank that they lack', () => {
  const value = fc.oneof(
    fc.constantFrom(null, 0, -1, '', 'a', '{}', true, undefined), fc.constantFrom<unknown>({}, { x: [1] }, [], ['a']),
    fc.integer(), fc.string(),
  );
  const object = fc.record({ a: value, b: value, c: value, d: value }, { requiredKeys: [] });
  fc.assert(fc.property(fc.array(object, { maxLength: 12 }), (objects) => {
    const expected = stored(objects).map((each) => ({ ...BLANK, ...each }));
    expect(fromColumns(stored(toColumns(objects)), BLANK)).toStrictEqual(expected);
  }), { numRuns: fewOrAll(200, 5000) });
});

test('equal values are stored once, and cannot be changed', () => {
  const objects = Array.from({ length: 10 }, (_, at) => ({ a: at, b: null, c: [1, 2] }));
  const columns = toColumns(objects);
  expect(columns.fields).toMatchObject({ b: { of: [null] }, c: { of: [[1, 2]] } });
  const [one, other] = fromColumns(stored(columns), { a: 0, b: null, c: [0] });
  expect(one?.c).toBe(other?.c);
  expect(() => one?.c.push(3)).toThrow(TypeError);
});
