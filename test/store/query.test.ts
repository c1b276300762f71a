import { Binary, Long, ObjectId, type Document } from 'mongodb';
import { expect, test } from 'vitest';
import { withMongo } from './with-mongo.ts';

// Expected results taken from MongoDB's manual: "Query and Projection Operators", "Query for Null or
// Missing Fields", "Query an Array", "Query an Array of Embedded Documents", "Comparison/Sort Order".
const mongo = withMongo();

async function idsOf(docs: readonly Document[], filter: Document): Promise<unknown[]> {
  const collection = await mongo.filled(docs);
  return (await collection.find(filter, { sort: { _id: 1 } }).toArray()).map((doc) => doc._id);
}

const numbers = [
  { _id: 1, n: 1 },
  { _id: 2, n: 2.5 },
  { _id: 3, n: Long.fromString('9007199254740993') },
  { _id: 4, n: '2' },
  { _id: 5, n: null },
  { _id: 6 },
];

const scalarCases: [string, Document, number[]][] = [
  ['equality', { n: 1 }, [1]],
  ['equality across number types', { n: Long.fromNumber(1) }, [1]],
  ['a long compares without rounding', { n: 9007199254740992 }, []],
  ['$gt compares with numbers only', { n: { $gt: 1 } }, [2, 3]],
  ['$gte and $lt together', { n: { $gte: 1, $lt: 2.5 } }, [1]],
  ['$lte compares with strings only', { n: { $lte: '3' } }, [4]],
  ['$ne matches missing fields and other types', { n: { $ne: 1 } }, [2, 3, 4, 5, 6]],
  ['null matches null and missing', { n: null }, [5, 6]],
  ['$ne null matches neither', { n: { $ne: null } }, [1, 2, 3, 4]],
  ['$exists true includes null', { n: { $exists: true } }, [1, 2, 3, 4, 5]],
  ['$exists false', { n: { $exists: false } }, [6]],
  ['$in with null', { n: { $in: [1, null] } }, [1, 5, 6]],
  ['$nin', { n: { $nin: [1, null] } }, [2, 3, 4]],
  ['an empty $in', { n: { $in: [] } }, []],
  ['an empty $nin', { n: { $nin: [] } }, [1, 2, 3, 4, 5, 6]],
  ['$gte null matches null and missing', { n: { $gte: null } }, [5, 6]],
  ['$gt null matches nothing', { n: { $gt: null } }, []],
  ['$or', { $or: [{ n: 1 }, { n: '2' }] }, [1, 4]],
  ['$or together with a field', { $or: [{ n: 1 }, { n: 2.5 }], _id: { $gt: 1 } }, [2]],
  ['$or of several fields each', { $or: [{ n: 1, _id: 1 }, { n: 2.5, _id: 1 }] }, [1]],
  ['the empty filter', {}, [1, 2, 3, 4, 5, 6]],
];

test.each(scalarCases)('scalars: %s', async (_name, filter, expected) => {
  expect(await idsOf(numbers, filter)).toEqual(expected);
});

const lists = [
  { _id: 1, t: ['red', 'blank'], d: [14, 21] },
  { _id: 2, t: ['blank', 'red'], d: [14, 21] },
  { _id: 3, t: ['red'], d: [22.85, 30] },
  { _id: 4, t: [], d: [] },
  { _id: 5, t: 'red', d: 14 },
  { _id: 6, t: ['x'], d: [10, 40] },
];

const arrayCases: [string, Document, number[]][] = [
  ['an element', { t: 'red' }, [1, 2, 3, 5]],
  ['a whole array in the same order', { t: ['red', 'blank'] }, [1]],
  ['a whole array of one', { t: ['red'] }, [3]],
  ['the empty array', { t: [] }, [4]],
  ['any element may satisfy the condition', { d: { $gt: 25 } }, [3, 6]],
  ['different elements may satisfy the two bounds', { d: { $gt: 15, $lt: 20 } }, [1, 2, 6]],
  ['$nin matches when no element is listed', { t: { $nin: ['red'] } }, [4, 6]],
  ['$ne matches when no element is equal', { t: { $ne: 'blank' } }, [3, 4, 5, 6]],
  ['null matches no array without it', { t: null }, []],
  ['$in of arrays and scalars', { t: { $in: [['red'], 'blank'] } }, [1, 2, 3]],
];

test.each(arrayCases)('arrays: %s', async (_name, filter, expected) => {
  expect(await idsOf(lists, filter)).toEqual(expected);
});

const nested = [
  { _id: 1, s: { h: 14, u: 'cm' }, l: [{ w: 'A', q: 5 }, { w: 'C', q: 15 }] },
  { _id: 2, s: { u: 'cm', h: 14 }, l: [{ w: 'C', q: 5 }] },
  { _id: 3, s: { h: 14, u: 'cm', x: 1 }, l: [{ w: 'A', q: 60 }, { w: 'B' }] },
  { _id: 4, s: 14, l: [] },
  { _id: 5, l: [4] },
  { _id: 6, s: { h: null }, l: { w: 'A', q: 1 } },
];

const nestedCases: [string, Document, number[]][] = [
  ['a whole document in the same field order', { s: { h: 14, u: 'cm' } }, [1]],
  ['a dotted path', { 's.h': 14 }, [1, 2, 3]],
  ['a dotted path to null', { 's.h': null }, [4, 5, 6]],
  ['a dotted path to missing', { 's.h': { $exists: false } }, [4, 5]],
  ['a path through an array of documents', { 'l.w': 'A' }, [1, 3, 6]],
  ['two elements may match two paths', { 'l.w': 'A', 'l.q': 15 }, [1]],
  ['a whole element', { l: { w: 'A', q: 5 } }, [1]],
  ['null where one element lacks the field', { 'l.q': null }, [3]],
  ['an empty array has the field in no element', { 'l.q': { $exists: true } }, [1, 2, 3, 6]],
  ['$exists false through arrays', { 'l.q': { $exists: false } }, [4, 5]],
];

test.each(nestedCases)('documents: %s', async (_name, filter, expected) => {
  expect(await idsOf(nested, filter)).toEqual(expected);
});

test('NaN equals itself and has no order among numbers', async () => {
  const docs = [{ _id: 1, n: NaN }, { _id: 2, n: 1 }];
  expect(await idsOf(docs, { n: NaN })).toEqual([1]);
  expect(await idsOf(docs, { n: { $lt: 5 } })).toEqual([2]);
  expect(await idsOf(docs, { n: { $gte: NaN } })).toEqual([1]);
  expect(await idsOf(docs, { n: { $ne: 1 } })).toEqual([1]);
});

test('an array in an array is an ordinary value, and paths enter the outer array only', async () => {
  const docs = [{ _id: 1, t: [['red']], l: [[{ w: 'A' }]] }, { _id: 2, t: ['red'], l: [{ w: 'A' }] }];
  expect(await idsOf(docs, { t: ['red'] })).toEqual([1, 2]);
  expect(await idsOf(docs, { t: 'red' })).toEqual([2]);
  expect(await idsOf(docs, { t: { $in: [['red']] } })).toEqual([1, 2]);
  expect(await idsOf(docs, { t: { $nin: ['red'] } })).toEqual([1]);
  expect(await idsOf(docs, { 'l.w': 'A' })).toEqual([2]);
  expect(await idsOf(docs, { 'l.w': { $exists: false } })).toEqual([1]);
});

const texts = [
  { _id: 1, s: 'a.b' },
  { _id: 2, s: 'aXb' },
  { _id: 3, s: 'A.B' },
  { _id: 4, s: ['x', 'za.bz'] },
  { _id: 5, s: 5 },
  { _id: 6, s: 'Äpfel\n\u{1f600}' },
];

const textCases: [string, string, number[]][] = [
  ['finds escaped text anywhere', 'a\\.b', [1, 4]],
  ['finds text beyond ASCII', 'pfel\n\u{1f600}', [6]],
  ['matches any string when empty', '', [1, 2, 3, 4, 6]],
];

test.each(textCases)('$regex with literal text: %s', async (_name, $regex, expected) => {
  expect(await idsOf(texts, { s: { $regex } })).toEqual(expected);
});

const inOrder = [
  null, NaN, -Infinity, -1.5, 0,
  Long.fromString('9007199254740992'), Long.fromString('9007199254740993'), 1e300,
  '', 'a', 'a\u0000', 'b', 'é',
  {}, { a: 1 }, { a: 2 }, { b: 0 }, { a: 'x' }, { a: 'x', b: 1 },
  new Binary(Buffer.from([])), new Binary(Buffer.from([2])), new Binary(Buffer.from([1, 1])),
  new ObjectId('000000000000000000000000'), new ObjectId('ffffffffffffffffffffffff'),
  false, true, new Date(-1), new Date(0), new Date(1),
];

test('values of all supported types sort in the documented order', async () => {
  const rank = ({ _id }: { _id: number }): number => (_id * 7919) % 31;
  const shuffled = inOrder.map((v, _id) => ({ _id, v })).sort((a, b) => rank(a) - rank(b));
  const collection = await mongo.filled(shuffled);
  const expected = inOrder.map((_, i) => i);
  const ids = async (direction: 1 | -1): Promise<unknown[]> =>
    (await collection.find({}, { sort: { v: direction } }).toArray()).map((doc) => doc._id);
  expect(await ids(1)).toEqual(expected);
  expect(await ids(-1)).toEqual([...expected].reverse());
  await collection.createIndex({ v: -1 }, { name: 'v' });
  expect(await ids(1)).toEqual(expected);
  expect(await ids(-1)).toEqual([...expected].reverse());
});

test('documents with smaller or fewer fields sort first', async () => {
  // Manual: by type, then name, then value of each field in turn, then by the number of fields.
  const values = [{ a: 1, b: 1 }, { a: 1 }, { b: 0 }, { a: 0, z: 9 }];
  const collection = await mongo.filled(values.map((v, at) => ({ _id: at + 1, v })));
  const found = await collection.find({}, { sort: { v: 1 } }).toArray();
  expect(found.map((doc) => doc._id)).toEqual([4, 2, 1, 3]);
});

test('an array sorts by its smallest element, or largest when descending, and before null if empty', async () => {
  const values = [[3, 9], 4, [], undefined, [5, 1]];
  const docs = values.map((v, at) => ({ _id: at + 1, ...(v === undefined ? {} : { v }) }));
  const collection = await mongo.filled(docs);
  const ids = async (direction: 1 | -1): Promise<unknown[]> =>
    (await collection.find({}, { sort: { v: direction, _id: 1 } }).toArray()).map((doc) => doc._id);
  expect(await ids(1)).toEqual([3, 4, 5, 1, 2]);
  expect(await ids(-1)).toEqual([1, 5, 2, 4, 3]);
});

test('a find sorts, then skips, then limits', async () => {
  const collection = await mongo.filled([5, 3, 1, 4, 2].map((_id) => ({ _id, g: _id % 2 })));
  const found = await collection.find({}, { sort: { g: -1, _id: 1 }, skip: 1, limit: 3 }).toArray();
  expect(found.map((doc) => doc._id)).toEqual([3, 5, 2]);
});

test('a projection includes or excludes fields', async () => {
  const collection = await mongo.filled([{ _id: 1, a: 1, b: { c: 2, d: 3 }, l: [7] }]);
  const shown = (projection: Document): Promise<unknown> => collection.findOne({}, { projection });
  expect(await shown({ a: 1 })).toEqual({ _id: 1, a: 1 });
  expect(await shown({ _id: 1 })).toEqual({ _id: 1 });
  expect(await shown({ b: true, l: 1 })).toEqual({ _id: 1, b: { c: 2, d: 3 }, l: [7] });
  expect(await shown({ none: 1 })).toEqual({ _id: 1 });
  expect(await shown({ a: 0 })).toEqual({ _id: 1, b: { c: 2, d: 3 }, l: [7] });
  expect(await shown({ b: 0, l: false })).toEqual({ _id: 1, a: 1 });
  expect(await shown({})).toEqual({ _id: 1, a: 1, b: { c: 2, d: 3 }, l: [7] });
});

test('cursors return every document once, in batches', async () => {
  const collection = await mongo.filled(Array.from({ length: 250 }, (_, _id) => ({ _id })));
  for (const batchSize of [1, 7, 100, 1000]) {
    const found = await collection.find({}, { batchSize, sort: { _id: 1 } }).toArray();
    expect(found.map((doc) => doc._id)).toEqual(Array.from({ length: 250 }, (_, i) => i));
  }
  const cursor = collection.find({}, { batchSize: 10 });
  expect(await cursor.next()).toMatchObject({});
  await cursor.close();
});

test('an open cursor continues after its last document while others are inserted and deleted', async () => {
  const docs = Array.from({ length: 30 }, (_, i) => ({ _id: i * 10 }));
  const collection = await mongo.filled<{ _id: number }>(docs);
  const cursor = collection.find({}, { sort: { _id: 1 }, batchSize: 5 });
  const seen: unknown[] = [];
  for (let i = 0; i < 5; i++) seen.push((await cursor.next())?._id);
  await collection.deleteMany({ _id: { $gte: 100, $lt: 200 } });
  await collection.insertOne({ _id: 205 });
  for await (const doc of cursor) seen.push(doc._id);
  const late = seen.filter((id) => (id as number) >= 200);
  expect(late).toEqual([200, 205, 210, 220, 230, 240, 250, 260, 270, 280, 290]);
  expect(new Set(seen).size).toBe(seen.length);
});

test('countDocuments counts the matches of a filter', async () => {
  const collection = await mongo.filled([{ a: 1 }, { a: 1.0 }, { a: 2 }, { a: null }]);
  expect(await collection.countDocuments()).toBe(4);
  expect(await collection.countDocuments({ a: 1 })).toBe(2);
  expect(await collection.countDocuments({ a: { $gt: 5 } })).toBe(0);
});

test('countDocuments counts up to its limit, with and without an index', async () => {
  const collection = await mongo.filled([{ a: 1, b: ['x', 'y'] }, { a: 1, b: ['y'] }, { a: 1, b: ['x'] }, { a: 2, b: [] }]);
  const counts = () => Promise.all([{}, { a: 1 }, { a: 1, b: 'x' }].flatMap((filter) => [
    collection.countDocuments(filter, { limit: 2 }), collection.countDocuments(filter, { limit: 9 }),
  ]));
  expect(await counts()).toEqual([2, 4, 2, 3, 2, 2]);
  await collection.createIndex({ a: 1, b: 1 });
  expect(await counts()).toEqual([2, 4, 2, 3, 2, 2]);
});

test('documents are counted by a string field', async () => {
  const collection = await mongo.filled([{ a: 1, b: 'x' }, { a: 1, b: 'ä' }, { a: 1, b: 'x' }, { a: 2, b: 'y' }]);
  const count = (filter: object) => collection
    .aggregate([{ $match: filter }, { $group: { _id: '$b', n: { $sum: 1 } } }]).toArray();
  const sorted = (groups: object[]) => groups.map((group) => JSON.stringify(group)).sort();
  expect(sorted(await count({ a: 1 }))).toEqual(['{"_id":"x","n":2}', '{"_id":"ä","n":1}']);
  expect(await count({ a: 5 })).toEqual([]);
});

test.each([1, -1] as const)('counting by an index equals counting the documents, in the direction %d', async (direction) => {
  const texts = ['', 'x', 'x\0', 'x\0y', 'xy', 'ä', '\uffff'];
  const docs = Array.from({ length: 90 }, (_, i) => ({ a: i % 3, b: texts[(i * i) % texts.length] as string, c: i }));
  const collection = await mongo.filled<{ a: number; b: string; c: number }>(docs);
  const counts = async (filter: object) => {
    const groups = collection.aggregate<{ _id: string; n: number }>(
      [{ $match: filter }, { $group: { _id: '$b', n: { $sum: 1 } } }],
    );
    const sorted = (await groups.toArray()).map(({ _id, n }) => [_id, n]).sort();
    return { sorted, all: await collection.countDocuments(filter) };
  };
  const filters = [
    { a: 1 }, { a: { $in: [0, 2] } }, { a: 1, b: { $gt: '' } }, { a: { $in: [0, 1] }, b: { $gte: 'x', $lt: 'xy' } },
    { a: 0, b: { $gt: 'x', $lte: 'x\0y' } }, { a: 0, b: { $gt: 'y', $lt: 'x' } }, { a: 1, b: 'x' }, { b: { $gt: 'x' } },
    { a: 1, b: { $gt: 5 } }, { a: 1, c: { $gt: 30 } },
  ];
  const read = await Promise.all(filters.map(counts));
  expect(read.map(({ all }) => all > 0)).toEqual([true, true, true, true, true, false, true, true, false, true]);
  await collection.createIndex({ a: 1, b: direction, c: 1 }, { name: 'abc' });
  expect(await Promise.all(filters.map(counts))).toEqual(read);
});

test('a missing collection reads as an empty one', async () => {
  const nothing = mongo.db.collection('nothing');
  expect(await nothing.find({ a: 1 }).toArray()).toEqual([]);
  expect(await nothing.countDocuments()).toBe(0);
  expect(await nothing.deleteMany({})).toMatchObject({ deletedCount: 0 });
  const result = await nothing.updateOne({ a: 1 }, { $set: { a: 2 } });
  expect(result).toMatchObject({ matchedCount: 0, upsertedCount: 0 });
});
