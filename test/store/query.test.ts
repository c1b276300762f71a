import { Binary, Long, ObjectId, type Document } from 'mongodb';
import { expect, test } from 'vitest';
import { withMongo } from './with-mongo.ts';

// Expected results by hand from MongoDB's manual: "Query and Projection Operators", "Query for Null or Missing
// Fields", "Query an Array", "Query an Array of Embedded Documents", "Comparison/Sort Order".
const mongo = withMongo();

async function idsOf(docs: readonly Document[], filter: Document): Promise<unknown[]> {
  const collection = await mongo.filled(docs);
  return (await collection.find(filter, { sort: { _id: 1 } }).toArray()).map((doc) => doc._id);
}

const numbers = [{ _id: 1, n: 1 }, { _id: 2, n: 2.5 }, { _id: 3, n: Long.fromString('9007199254740993') }, { _id: 4, n: '2' }, { _id: 5, n: null }, { _id: 6 }];

const scalarCases: [string, Document, number[]][] = [
  ['equality', { n: 1 }, [1]],
  ['equality across number types', { n: Long.fromNumber(1) }, [1]],
  ['a long is not rounded when compared', { n: 9007199254740992 }, []],
  ['$gt stays within numbers', { n: { $gt: 1 } }, [2, 3]],
  ['$gte and $lt together', { n: { $gte: 1, $lt: 2.5 } }, [1]],
  ['$lte stays within strings', { n: { $lte: '3' } }, [4]],
  ['$ne takes missing and other types', { n: { $ne: 1 } }, [2, 3, 4, 5, 6]],
  ['null matches null and missing', { n: null }, [5, 6]],
  ['$ne null matches neither', { n: { $ne: null } }, [1, 2, 3, 4]],
  ['$exists true includes null', { n: { $exists: true } }, [1, 2, 3, 4, 5]],
  ['$exists false', { n: { $exists: false } }, [6]],
  ['$in with null', { n: { $in: [1, null] } }, [1, 5, 6]],
  ['$nin', { n: { $nin: [1, null] } }, [2, 3, 4]],
  ['$in with nothing', { n: { $in: [] } }, []],
  ['$nin with nothing', { n: { $nin: [] } }, [1, 2, 3, 4, 5, 6]],
  ['$not takes missing fields too', { n: { $not: { $gt: 1 } } }, [1, 4, 5, 6]],
  ['$gte null meets null and missing', { n: { $gte: null } }, [5, 6]],
  ['$gt null meets nothing', { n: { $gt: null } }, []],
  ['$or', { $or: [{ n: 1 }, { n: '2' }] }, [1, 4]],
  ['$and of the same field', { $and: [{ n: { $gt: 0 } }, { n: { $lt: 2 } }] }, [1]],
  ['$or beside a field', { $or: [{ n: 1 }, { n: 2.5 }], _id: { $gt: 1 } }, [2]],
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
  ['a whole array, order counts', { t: ['red', 'blank'] }, [1]],
  ['a whole array of one', { t: ['red'] }, [3]],
  ['the empty array', { t: [] }, [4]],
  ['any element meets the condition', { d: { $gt: 25 } }, [3, 6]],
  ['different elements may meet the two ends', { d: { $gt: 15, $lt: 20 } }, [1, 2, 6]],
  ['$nin needs no element', { t: { $nin: ['red'] } }, [4, 6]],
  ['$ne needs no element', { t: { $ne: 'blank' } }, [3, 4, 5, 6]],
  ['null is in no array without it', { t: null }, []],
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
  ['a whole document, field order counts', { s: { h: 14, u: 'cm' } }, [1]],
  ['a dotted path', { 's.h': 14 }, [1, 2, 3]],
  ['a dotted path to null', { 's.h': null }, [4, 5, 6]],
  ['a dotted path to missing', { 's.h': { $exists: false } }, [4, 5]],
  ['a path through an array of documents', { 'l.w': 'A' }, [1, 3, 6]],
  ['two paths may be met by two elements', { 'l.w': 'A', 'l.q': 15 }, [1]],
  ['a whole element', { l: { w: 'A', q: 5 } }, [1]],
  ['null where one element lacks the field', { 'l.q': null }, [3]],
  ['an empty array has the field in no element', { 'l.q': { $exists: true } }, [1, 2, 3, 6]],
  ['$exists false through arrays', { 'l.q': { $exists: false } }, [4, 5]],
];

test.each(nestedCases)('documents: %s', async (_name, filter, expected) => {
  expect(await idsOf(nested, filter)).toEqual(expected);
});

test('NaN equals itself and is in no order with other numbers', async () => {
  const docs = [{ _id: 1, n: NaN }, { _id: 2, n: 1 }];
  expect(await idsOf(docs, { n: NaN })).toEqual([1]);
  expect(await idsOf(docs, { n: { $lt: 5 } })).toEqual([2]);
  expect(await idsOf(docs, { n: { $gte: NaN } })).toEqual([1]);
  expect(await idsOf(docs, { n: { $ne: 1 } })).toEqual([1]);
});

test('arrays in arrays are values like any other, and paths enter only the outer one', async () => {
  const docs = [{ _id: 1, t: [['red']], l: [[{ w: 'A' }]] }, { _id: 2, t: ['red'], l: [{ w: 'A' }] }];
  expect(await idsOf(docs, { t: ['red'] })).toEqual([1, 2]);
  expect(await idsOf(docs, { t: 'red' })).toEqual([2]);
  expect(await idsOf(docs, { t: { $in: [['red']] } })).toEqual([1, 2]);
  expect(await idsOf(docs, { t: { $nin: ['red'] } })).toEqual([1]);
  expect(await idsOf(docs, { 'l.w': 'A' })).toEqual([2]);
  expect(await idsOf(docs, { 'l.w': { $exists: false } })).toEqual([1]);
});

const texts = [{ _id: 1, s: 'a.b' }, { _id: 2, s: 'aXb' }, { _id: 3, s: 'A.B' }, { _id: 4, s: ['x', 'za.bz'] }, { _id: 5, s: 5 }, { _id: 6, s: 'Äpfel' }];

const textCases: [string, Document, number[]][] = [
  ['finds literal text anywhere', { s: { $regex: 'a\\.b' } }, [1, 4]],
  ['anchored', { s: /^a\.b/ }, [1]],
  ['without case', { s: { $regex: 'a\\.b', $options: 'i' } }, [1, 3, 4]],
  ['without case beyond ASCII', { s: /äp/i }, [6]],
  ['negated', { s: { $not: /a\.b/ } }, [2, 3, 5, 6]],
];

test.each(textCases)('literal search: %s', async (_name, filter, expected) => {
  expect(await idsOf(texts, filter)).toEqual(expected);
});

test('values of every served type compare in the documented order', async () => {
  const inOrder = [
    null, NaN, -Infinity, -1.5, 0, Long.fromString('9007199254740992'), Long.fromString('9007199254740993'), 1e300, '', 'a', 'a\u0000', 'b', 'é',
    {}, { a: 1 }, { a: 2 }, { b: 0 }, { a: 'x' }, { a: 'x', b: 1 },
    new Binary(Buffer.from([])), new Binary(Buffer.from([2])), new Binary(Buffer.from([1, 1])),
    new ObjectId('000000000000000000000000'), new ObjectId('ffffffffffffffffffffffff'), false, true, new Date(-1), new Date(0), new Date(1),
  ];
  const shuffled = inOrder.map((v, _id) => ({ _id, v })).sort((a, b) => ((a._id * 7919) % 31) - ((b._id * 7919) % 31));
  const collection = await mongo.filled(shuffled);
  const expected = inOrder.map((_, i) => i);
  const ids = async (direction: 1 | -1): Promise<unknown[]> => (await collection.find({}, { sort: { v: direction } }).toArray()).map((doc) => doc._id);
  expect(await ids(1)).toEqual(expected);
  expect(await ids(-1)).toEqual([...expected].reverse());
  await collection.createIndex({ v: -1 }, { name: 'v' });
  expect(await ids(1)).toEqual(expected);
  expect(await ids(-1)).toEqual([...expected].reverse());
});

test('documents with fewer or smaller first fields come first', async () => {
  // Manual: by type, then name, then value of each field in turn, then by the number of fields.
  const collection = await mongo.filled([{ _id: 1, v: { a: 1, b: 1 } }, { _id: 2, v: { a: 1 } }, { _id: 3, v: { b: 0 } }, { _id: 4, v: { a: 0, z: 9 } }]);
  expect((await collection.find({}, { sort: { v: 1 } }).toArray()).map((doc) => doc._id)).toEqual([4, 2, 1, 3]);
});

test('an array sorts by its smallest element, or by its largest when descending; an empty one before null', async () => {
  const collection = await mongo.filled([{ _id: 1, v: [3, 9] }, { _id: 2, v: 4 }, { _id: 3, v: [] }, { _id: 4 }, { _id: 5, v: [5, 1] }]);
  const ids = async (direction: 1 | -1): Promise<unknown[]> => (await collection.find({}, { sort: { v: direction, _id: 1 } }).toArray()).map((doc) => doc._id);
  expect(await ids(1)).toEqual([3, 4, 5, 1, 2]);
  expect(await ids(-1)).toEqual([1, 5, 2, 4, 3]);
});

test('sort, skip and limit apply in this order', async () => {
  const collection = await mongo.filled([5, 3, 1, 4, 2].map((_id) => ({ _id, g: _id % 2 })));
  expect((await collection.find({}, { sort: { g: -1, _id: 1 }, skip: 1, limit: 3 }).toArray()).map((doc) => doc._id)).toEqual([3, 5, 2]);
});

test('a projection includes or excludes fields, also inside documents and arrays', async () => {
  const collection = await mongo.filled([{ _id: 1, a: 1, b: { c: 2, d: 3 }, l: [{ x: 1, y: 2 }, 7, { y: 3 }] }]);
  const shown = (projection: Document): Promise<unknown> => collection.findOne({}, { projection });
  expect(await shown({ a: 1 })).toEqual({ _id: 1, a: 1 });
  expect(await shown({ a: 1, _id: 0 })).toEqual({ a: 1 });
  expect(await shown({ a: 0 })).toEqual({ _id: 1, b: { c: 2, d: 3 }, l: [{ x: 1, y: 2 }, 7, { y: 3 }] });
  expect(await shown({ _id: 0, b: 0, l: 0 })).toEqual({ a: 1 });
  expect(await shown({ 'b.c': 1, _id: 0 })).toEqual({ b: { c: 2 } });
  expect(await shown({ b: { d: 1 }, _id: 0 })).toEqual({ b: { d: 3 } });
  expect(await shown({ 'l.x': 1, _id: 0 })).toEqual({ l: [{ x: 1 }, {}] });
  expect(await shown({ 'l.x': 0, a: 0, b: 0 })).toEqual({ _id: 1, l: [{ y: 2 }, 7, { y: 3 }] });
  expect(await shown({ none: 1 })).toEqual({ _id: 1 });
});

test('cursors return everything once, in batches', async () => {
  const collection = await mongo.filled(Array.from({ length: 250 }, (_, _id) => ({ _id })));
  for (const batchSize of [1, 7, 100, 1000]) {
    const found = await collection.find({}, { batchSize, sort: { _id: 1 } }).toArray();
    expect(found.map((doc) => doc._id)).toEqual(Array.from({ length: 250 }, (_, i) => i));
  }
  const cursor = collection.find({}, { batchSize: 10 });
  expect(await cursor.next()).toMatchObject({});
  await cursor.close();
});

test('a scan goes on where it was while documents come and go', async () => {
  const collection = await mongo.filled<{ _id: number }>(Array.from({ length: 30 }, (_, i) => ({ _id: i * 10 })));
  const cursor = collection.find({}, { sort: { _id: 1 }, batchSize: 5 });
  const seen: unknown[] = [];
  for (let i = 0; i < 5; i++) seen.push((await cursor.next())?._id);
  await collection.deleteMany({ _id: { $gte: 100, $lt: 200 } });
  await collection.insertOne({ _id: 205 });
  for await (const doc of cursor) seen.push(doc._id);
  expect(seen.filter((id) => (id as number) >= 200)).toEqual([200, 205, 210, 220, 230, 240, 250, 260, 270, 280, 290]);
  expect(new Set(seen).size).toBe(seen.length);
});

test('count, estimated count and distinct', async () => {
  const collection = await mongo.filled([{ _id: 1, a: 1, t: ['x', 'y'] }, { _id: 2, a: 1, t: ['y'] }, { _id: 3, a: 2.0, l: [{ v: 1 }, { v: 2 }] }, { _id: 4, a: null }]);
  expect(await collection.estimatedDocumentCount()).toBe(4);
  expect(await collection.countDocuments({ a: 1 })).toBe(2);
  expect(await collection.countDocuments({}, { skip: 1, limit: 2 })).toBe(2);
  expect(await mongo.db.command({ count: collection.collectionName, query: { _id: { $gt: 1 } }, skip: 1, limit: 5 })).toMatchObject({ n: 2 });
  expect(await mongo.db.command({ count: collection.collectionName, query: {}, limit: 3 })).toMatchObject({ n: 3 });
  expect((await collection.distinct('a')).sort()).toEqual([1, 2, null]);
  expect((await collection.distinct('t')).sort()).toEqual(['x', 'y']);
  expect(await collection.distinct('l.v')).toEqual([1, 2]);
  expect(await collection.distinct('a', { _id: { $lt: 3 } } as never)).toEqual([1]);
  expect(await mongo.db.collection('nothing').distinct('a')).toEqual([]);
});

test('a missing collection reads as an empty one', async () => {
  const nothing = mongo.db.collection('nothing');
  expect(await nothing.find({ a: 1 }).toArray()).toEqual([]);
  expect(await nothing.countDocuments()).toBe(0);
  expect(await nothing.aggregate([{ $group: { _id: null, n: { $sum: 1 } } }]).toArray()).toEqual([]);
  expect(await nothing.deleteMany({})).toMatchObject({ deletedCount: 0 });
  expect(await nothing.updateOne({ a: 1 }, { $set: { a: 2 } })).toMatchObject({ matchedCount: 0, upsertedCount: 0 });
});
