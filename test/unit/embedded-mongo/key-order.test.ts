import { deserialize, serialize, type Document } from 'bson';
import fc from 'fast-check';
import { Binary, Long, ObjectId } from 'mongodb';
import { expect, test } from 'vitest';
import { compareValues } from '../../../deploy/embedded/mongo/bson/compare.ts';
import { checkDocument } from '../../../deploy/embedded/mongo/bson/check.ts';
import { documentValue, fieldOf, type Value } from '../../../deploy/embedded/mongo/bson/value.ts';
import { KeyWriter } from '../../../deploy/embedded/mongo/keys/key-writer.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    null, true, false, 0, -0, NaN, Infinity, -Infinity, 2 ** 53, -(2 ** 53), 2 ** 63, -(2 ** 63),
    Number.MIN_VALUE,
    Long.MAX_VALUE, Long.MIN_VALUE,
  ),
  fc.double(),
  fc.integer(),
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((value) => Long.fromBigInt(value)),
  fc.bigInt(2n ** 53n - 3n, 2n ** 53n + 3n).map((value) => Long.fromBigInt(value)),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constantFrom('', '\0', '\0\0', 'a', 'a\0', 'a\0b', 'a\u0001', 'ab'),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ maxLength: 4 }).map((bytes) => new Binary(bytes)),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
);
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { weight: 6, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie('any'), { maxLength: 3 }) },
    {
      weight: 1,
      arbitrary: fc.dictionary(
        fc.constantFrom('', 'a', 'b', 'ab'), tie('any'), { maxKeys: 3, noNullPrototype: true },
      ),
    },
  ),
})).any;

function encoded(v: unknown): Value {
  return fieldOf(documentValue(Buffer.from(serialize({ v } as Document))), 'v')!;
}

const key = (v: Value, descending = false): Buffer => new KeyWriter().component(v, descending).take();

test('encoded keys compare like their values, in both directions', () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      const [x, y] = [encoded(a), encoded(b)];
      const expected = Math.sign(compareValues(x, y));
      expect(Math.sign(Buffer.compare(key(x), key(y)))).toBe(expected);
      expect(Math.sign(Buffer.compare(key(x, true), key(y, true))) + 0).toBe(-expected + 0);
    }),
    { numRuns: fewOrAll(200, 1500) },
  );
});

test('no encoded key is a prefix of another, and none starts with 0x00 or 0xff', () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      for (const descending of [false, true]) {
        const [x, y] = [key(encoded(a), descending), key(encoded(b), descending)];
        expect(x[0]).toBeGreaterThan(0);
        expect(x[0]).toBeLessThan(0xff);
        if (!x.equals(y)) expect(y.subarray(0, x.length).equals(x)).toBe(false);
      }
    }),
    { numRuns: fewOrAll(150, 1000) },
  );
});

test('comparison is reflexive, antisymmetric and transitive', () => {
  fc.assert(
    fc.property(value, value, value, (a, b, c) => {
      const [x, y, z] = [encoded(a), encoded(b), encoded(c)].sort(compareValues) as [Value, Value, Value];
      expect(compareValues(x, x)).toBe(0);
      expect(Math.sign(compareValues(x, y)) + Math.sign(compareValues(y, x))).toBe(0);
      expect(compareValues(x, z)).toBeLessThanOrEqual(0);
    }),
    { numRuns: fewOrAll(150, 1000) },
  );
});

test('the official decoder reads every document that the checker accepts, however damaged', () => {
  const bytes = Buffer.from(serialize({
    a: 1, b: 'text', c: [1, { d: null }], e: new Date(0), f: new Binary(Buffer.alloc(3)), g: Long.MAX_VALUE,
    h: 1.5,
    i: true, j: new ObjectId(),
  }));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 4 }), (spots) => {
      const copy = Buffer.from(bytes);
      for (const [at, byte] of spots) copy[at] = byte;
      try {
        checkDocument(copy, 0, copy.length);
      } catch (error) {
        expect((error as Error).name).toBe('MongoFailure');
        return;
      }
      deserialize(copy, { validation: { utf8: false }, bsonRegExp: true });
    }),
    { numRuns: fewOrAll(200, 1500) },
  );
});
