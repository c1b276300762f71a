import fc from 'fast-check';
import { Binary, Long, ObjectId } from 'mongodb';
import type { ModelIndex } from './collection.ts';
import type { Doc } from './values.ts';

const ids = ['a', 'b', 'c', 'd', 1, 2, 3, 'a\u0000b', 'é'];
const SCALARS: unknown[] = [
  null, 0, 1, 2, -1, 1.5, -0.5, 1e20, -1e300, Infinity, -Infinity, '', 'a', 'ab', 'a\u0000', 'b', 'B', 'é',
  '\u{1f600}', true, false,
  new Date(0), new Date(-5), new Date(1700000000000), new ObjectId('000000000000000000000001'),
  new ObjectId('ff0000000000000000000000'),
  new Binary(Buffer.from([1, 2])), new Binary(Buffer.from([3])), new Binary(Buffer.from([])),
];
const scalar = fc.constantFrom(...SCALARS);
const small = fc.constantFrom<unknown>(0, 1, 2, 3, null, 'a', 'b');
const nested = fc.oneof(
  scalar,
  fc.record({ x: small, y: small }, { requiredKeys: [], noNullPrototype: true }),
  fc.array(small, { maxLength: 3 }),
  fc.constantFrom<unknown>(
    [[1]], [[]], [{ x: 1 }], {}, { y: { x: 1 } }, NaN, Long.fromString('9007199254740993'),
    Long.fromString('9007199254740995'),
  ),
);
/** The model compares longs and doubles beyond 2^53 as integers, so `big` has no fractions or infinities. */
const value = fc.oneof(
  { weight: 4, arbitrary: small }, { weight: 2, arbitrary: scalar },
  { weight: 1, arbitrary: nested.filter((v) => !(v instanceof Long)) },
);

const big = fc.constantFrom<unknown>(
  Long.fromString('9007199254740993'), 9007199254740992, Long.fromString('9007199254740995'), 5,
  Long.fromString('-9007199254740993'),
);
const fields = fc.record(
  {
    a: value,
    b: small,
    t: fc.array(small, { maxLength: 3 }),
    o: fc.record({ x: value, y: small }, { requiredKeys: [], noNullPrototype: true }),
    l: fc.array(
      fc.record({ x: small, y: small }, { requiredKeys: [], noNullPrototype: true }), { maxLength: 3 },
    ),
    u: fc.constantFrom<unknown>(1, 2, 3, 4, 5, 'a', null),
    big,
  },
  { requiredKeys: [], noNullPrototype: true },
);

export const id = fc.constantFrom<unknown>(...ids);
export const document = fc.tuple(id, fields).map(([_id, rest]): Doc => ({ _id, ...rest }));
export const replacement = fields as fc.Arbitrary<Doc>;

const QUERY_PATHS = ['a', 'b', 't', 'o.x', 'o.y', 'l.x', 'l', 'u', 'o', '_id', 'a.x'];
const path = fc.constantFrom(...QUERY_PATHS);

const operators: fc.Arbitrary<Doc> = fc.oneof(
  fc.tuple(fc.constantFrom('$ne', '$gt', '$gte', '$lt', '$lte'), value).map(
    ([operator, operand]) => ({ [operator]: operand }),
  ),
  fc.tuple(fc.constantFrom('$gt', '$gte'), fc.constantFrom('$lt', '$lte'), value, value).map(
    ([low, high, x, y]) => ({ [low]: x, [high]: y }),
  ),
  fc.tuple(fc.constantFrom('$in', '$nin'), fc.array(value, { maxLength: 4 })).map(
    ([operator, members]) => ({ [operator]: members }),
  ),
  fc.boolean().map((exists) => ({ $exists: exists })),
  fc.constantFrom<Doc>({ $regex: 'a' }, { $regex: 'B' }, { $regex: 'é' }, { $regex: '' }),
);
const condition = fc.oneof<fc.MaybeWeightedArbitrary<unknown>[]>(
  { weight: 3, arbitrary: value },
  { weight: 5, arbitrary: operators },
);
const idCondition = fc.oneof(
  id, fc.tuple(id, id).map(([x, y]) => ({ $gte: x, $lt: y })),
  fc.array(id, { maxLength: 3 }).map((members) => ({ $in: members })),
);
const flat: fc.Arbitrary<Doc> = fc.oneof(
  fc.tuple(path, condition).map(([name, wanted]) => ({ [name]: name === '_id' ? 'a' : wanted })),
  idCondition.map((wanted) => ({ _id: wanted })),
  fc.tuple(condition, condition).map(([x, y]) => ({ a: x, b: y })),
  fc.tuple(small, condition, condition).map(([x, y, z]) => ({ b: x, 'o.x': y, u: z })),
  fc.tuple(condition, small).map(([x, y]) => ({ 'l.x': x, 'l.y': y })),
  fc.tuple(big, fc.constantFrom('$gt', '$gte', '$lt', '$lte', '$ne')).map(
    ([bound, operator]) => ({ big: { [operator]: bound } }),
  ),
  big.map((wanted) => ({ big: wanted })),
  fc.constant({}),
);

export const filter: fc.Arbitrary<Doc> = fc.oneof(
  { weight: 5, arbitrary: flat },
  { weight: 1, arbitrary: fc.array(flat, { minLength: 1, maxLength: 3 }).map((parts) => ({ $or: parts })) },
);

const increment = fc.constantFrom(1, -3, 0.5, 0);
const changes: fc.Arbitrary<Doc>[] = [
  value.map((v) => ({ $set: { a: v } })),
  small.map((v) => ({ $set: { 'o.x': v } })),
  fc.constant({ $unset: { a: 1, 'o.y': 1 } }),
  increment.map((v) => ({ $inc: { a: v } })),
  increment.map((v) => ({ $inc: { 'o.n.m': v } })),
  fc.tuple(fc.constantFrom('$min', '$max'), value).map(([operator, v]) => ({ [operator]: { a: v } })),
  fc.array(small, { maxLength: 2 }).map((each) => ({ $push: { t: { $each: each } } })),
  small.map((v) => ({ $addToSet: { t: v } })),
  small.map((v) => ({ $pull: { t: v } })),
  fc.tuple(small, small).map(([v, w]) => ({ $setOnInsert: { b: v }, $set: { z: w, c: 1 } })),
];

/** Updates that never change `u`, which may have a unique index. */
export const change = fc.oneof(...changes);
export const changeOfUnique = fc.constantFrom<unknown>(1, 2, 3, 4, 'a').map((v): Doc => ({ $set: { u: v } }));

export const sort = fc
  .uniqueArray(
    fc.tuple(fc.constantFrom('a', 'b', 't', 'o.x', 'l.x', 'u'), fc.constantFrom<1 | -1>(1, -1)),
    { maxLength: 2, selector: ([name]) => name },
  )
  .filter((parts) =>
    parts.filter(([name]) => name === 't' || name === 'l.x' || name === 'a' || name === 'o.x').length < 2);

export const index: fc.Arbitrary<ModelIndex & { directions: readonly (1 | -1)[] }> = fc
  .record({
    paths: fc.constantFrom<readonly string[]>(
      ['a'], ['b'], ['t'], ['o.x'], ['l.x'], ['b', 'a'], ['b', 'o.x'], ['b', 'o.x', 'u'], ['u'], ['u', 'b'],
      ['t', 'b'], ['l.x', 'l.y'], ['l.x', 'b'], ['big'], ['b', 'u', 'a'],
    ),
    direction: fc.constantFrom<1 | -1>(1, -1),
    second: fc.constantFrom<1 | -1>(1, -1),
    unique: fc.boolean(),
    sparse: fc.boolean(),
  })
  .map(({ paths, direction, second, unique, sparse }) => ({
    name: `${paths.join('_')}_${direction}_${second}`,
    paths,
    directions: paths.map((_, i) => (i === 0 ? direction : second)),
    unique: unique && paths.every((name) => name === 'u' || name === 'b'),
    sparse,
  }));
