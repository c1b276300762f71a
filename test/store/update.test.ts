import { Long, type Document } from 'mongodb';
import { expect, test } from 'vitest';
import { withMongo } from './with-mongo.ts';

// Expected results taken from MongoDB's manual: "Update Operators", "db.collection.updateOne()",
// "db.collection.findAndModify()", "db.collection.bulkWrite()".
const mongo = withMongo();

const cases: [string, Document, Document, Document][] = [
  ['$set adds and replaces', { a: 1 }, { $set: { a: 2, b: { c: 1 } } }, { a: 2, b: { c: 1 } }],
  ['$set creates the documents of a path', { a: 1 }, { $set: { 'x.y.z': 1 } }, { a: 1, x: { y: { z: 1 } } }],
  [
    '$set changes a field in a document', { o: { p: 1, q: 2 } }, { $set: { 'o.p': 5 } },
    { o: { p: 5, q: 2 } },
  ],
  [
    '$unset removes fields and ignores missing ones', { a: 1, o: { p: 1, q: 2 } },
    { $unset: { a: '', 'o.q': '', 'no.thing': '' } }, { o: { p: 1 } },
  ],
  ['$inc adds, also below zero', { n: 5 }, { $inc: { n: -7 } }, { n: -2 }],
  ['$inc sets a missing field', {}, { $inc: { n: 3, 'o.m': 1 } }, { n: 3, o: { m: 1 } }],
  ['$inc mixes number types', { n: 1 }, { $inc: { n: 0.5 } }, { n: 1.5 }],
  ['$inc grows an int to a long', { n: 2147483647 }, { $inc: { n: 1 } }, { n: 2147483648 }],
  [
    '$inc keeps a long exact', { n: Long.fromString('9007199254740993') },
    { $inc: { n: 2 } }, { n: Long.fromString('9007199254740995') },
  ],
  ['$min lowers', { n: 5, m: 5 }, { $min: { n: 3, m: 9, k: 1 } }, { n: 3, m: 5, k: 1 }],
  [
    '$max raises, comparing different types by their order', { n: 5, m: 'a', d: 1 },
    { $max: { n: 9, m: 7, d: 'x' } }, { n: 9, m: 'a', d: 'x' },
  ],
  ['$push adds each element', { t: [1] }, { $push: { t: { $each: [2, [3]] } } as never }, { t: [1, 2, [3]] }],
  ['$push creates a missing array', {}, { $push: { t: { $each: [1] } } as never }, { t: [1] }],
  ['$addToSet adds a new element', { t: [1] }, { $addToSet: { t: 2 } as never }, { t: [1, 2] }],
  ['$addToSet keeps a known element', { t: [1, 2] }, { $addToSet: { t: 2 } as never }, { t: [1, 2] }],
  [
    '$addToSet adds an array as one element', { t: ['a'] }, { $addToSet: { t: ['a'] } as never },
    { t: ['a', ['a']] },
  ],
  [
    '$addToSet compares documents with their field order', { t: [{ a: 1, b: 2 }] },
    { $addToSet: { t: { b: 2, a: 1 } } as never }, { t: [{ a: 1, b: 2 }, { b: 2, a: 1 }] },
  ],
  ['$pull removes every equal element', { t: [1, 2, 1, 3] }, { $pull: { t: 1 } as never }, { t: [2, 3] }],
  ['$pull ignores a missing field', { a: 1 }, { $pull: { t: 1 } as never }, { a: 1 }],
  [
    '$setOnInsert leaves an existing document', { a: 1 }, { $setOnInsert: { b: 1 }, $set: { c: 1 } },
    { a: 1, c: 1 },
  ],
  [
    'several operators in one update', { n: 1, t: [] },
    { $inc: { n: 1 }, $push: { t: { $each: ['x'] } } as never, $unset: { z: 1 } }, { n: 2, t: ['x'] },
  ],
];

test.each(cases)('%s', async (_name, before, update, after) => {
  const collection = await mongo.filled([{ _id: 1, ...before }]);
  await collection.updateOne({ _id: 1 } as never, update);
  expect(await collection.findOne()).toEqual({ _id: 1, ...after });
});

const failures: [string, Document, Document, number][] = [
  ['$inc of a string', { n: 'x' }, { $inc: { n: 1 } }, 14],
  ['$inc by a string', { n: 1 }, { $inc: { n: 'x' } as never }, 14],
  ['$push to a scalar', { t: 1 }, { $push: { t: { $each: [1] } } as never }, 2],
  ['$pull from a scalar', { t: 1 }, { $pull: { t: 1 } as never }, 2],
  ['a path through a scalar', { a: 1 }, { $set: { 'a.b': 1 } }, 28],
  ['a new _id', { a: 1 }, { $set: { _id: 2 } }, 66],
  ['two changes of one field', { a: 1 }, { $set: { a: 1 }, $inc: { a: 1 } }, 40],
  ['a change inside a changed field', { a: 1 }, { $set: { a: {} }, $inc: { 'a.b': 1 } }, 40],
];

test.each(failures)('%s fails and changes nothing', async (_name, before, update, code) => {
  const collection = await mongo.filled([{ _id: 1, ...before }]);
  await expect(collection.updateOne({ _id: 1 } as never, update)).rejects.toMatchObject({ code });
  expect(await collection.findOne()).toEqual({ _id: 1, ...before });
});

test('an update counts the documents it matched and those it modified', async () => {
  const collection = await mongo.filled([{ _id: 1, a: 1 }, { _id: 2, a: 1 }, { _id: 3, a: 2 }]);
  expect(await collection.updateMany({ a: { $gte: 1 } }, { $set: { a: 2 } })).toMatchObject({
    matchedCount: 3, modifiedCount: 2,
  });
  expect(await collection.updateOne({ a: 9 }, { $set: { a: 2 } })).toMatchObject({
    matchedCount: 0, modifiedCount: 0,
  });
  expect(await collection.updateMany({}, { $addToSet: { t: 1 } as never })).toMatchObject({
    matchedCount: 3, modifiedCount: 3,
  });
  expect(await collection.updateMany({}, { $addToSet: { t: 1 } as never })).toMatchObject({
    matchedCount: 3, modifiedCount: 0,
  });
});

test('a replacement keeps only the _id', async () => {
  const collection = await mongo.filled([{ _id: 1, a: 1, b: 2 }]);
  expect(await collection.replaceOne({ _id: 1 } as never, { c: 3 })).toMatchObject({
    matchedCount: 1, modifiedCount: 1,
  });
  expect(await collection.findOne()).toEqual({ _id: 1, c: 3 });
  expect(await collection.replaceOne({ _id: 1 } as never, { c: 3 })).toMatchObject({
    matchedCount: 1, modifiedCount: 0,
  });
  await expect(collection.replaceOne({ _id: 1 } as never, { _id: 2, c: 3 })).rejects.toMatchObject({
    code: 66,
  });
});

const upserts: [string, Document, Document, Document][] = [
  ['takes equalities of the filter', { _id: 1, a: 2 }, { $set: { b: 4 } }, { _id: 1, a: 2, b: 4 }],
  ['takes no ranges', { _id: 1, a: { $gt: 5 }, b: { $in: [1, 2] } }, { $set: { c: 1 } }, { _id: 1, c: 1 }],
  ['applies $setOnInsert', { _id: 1 }, { $setOnInsert: { a: 1 }, $inc: { n: 2 } }, { _id: 1, a: 1, n: 2 }],
  ['changes values from the filter', { _id: 1, n: 5 }, { $inc: { n: 2 } }, { _id: 1, n: 7 }],
  ['may take the _id from the update', { a: 1 }, { $set: { _id: 7 } }, { _id: 7, a: 1 }],
];

test.each(upserts)('an upsert %s', async (_name, filter, update, expected) => {
  const collection = await mongo.filled([]);
  const result = await collection.updateOne(filter, update, { upsert: true });
  expect(result).toMatchObject({
    matchedCount: 0, modifiedCount: 0, upsertedCount: 1, upsertedId: expected['_id'],
  });
  expect(await collection.findOne()).toEqual(expected);
});

test('an upsert by replacement takes only the _id of the filter', async () => {
  const collection = await mongo.filled([]);
  await collection.replaceOne({ _id: 1, a: 5 } as never, { b: 1 }, { upsert: true });
  expect(await collection.findOne()).toEqual({ _id: 1, b: 1 });
});

test('a conditional upsert fails with a duplicate key when the document is ahead', async () => {
  const collection = await mongo.filled([{ _id: 'm', position: 5 }]);
  const replace = (position: number): Promise<unknown> =>
    collection.replaceOne({ _id: 'm', position: { $lt: position } } as never, { position }, { upsert: true });
  await expect(replace(5)).rejects.toMatchObject({ code: 11000 });
  expect(await replace(6)).toMatchObject({ matchedCount: 1, modifiedCount: 1 });
});

test('findOneAndUpdate returns the document before or after the update', async () => {
  const collection = await mongo.filled<{ _id: number; n?: number; g: string }>([{ _id: 1, n: 1, g: 'a' }]);
  const after = { returnDocument: 'after' } as const;
  const inserted = { upsert: true, returnDocument: 'after' } as const;
  expect(await collection.findOneAndUpdate({ g: 'a' }, { $inc: { n: 10 } })).toEqual({
    _id: 1, n: 1, g: 'a',
  });
  expect(await collection.findOneAndUpdate({ g: 'a' }, { $inc: { n: 10 } }, after)).toEqual({
    _id: 1, n: 21, g: 'a',
  });
  expect(await collection.findOneAndUpdate({ g: 'b' }, { $inc: { n: 1 } })).toBeNull();
  expect(
    await collection.findOneAndUpdate({ _id: 8, g: 'b' }, { $inc: { n: 1 } }, { upsert: true }),
  ).toBeNull();
  expect(await collection.findOneAndUpdate({ g: 'c' }, { $set: { _id: 9 } }, inserted)).toEqual({
    _id: 9, g: 'c',
  });
});

test('findOneAndReplace and findOneAndDelete return the document', async () => {
  const collection = await mongo.filled([{ _id: 1, n: 1 }, { _id: 2, n: 2 }]);
  expect(await collection.findOneAndReplace({ n: 1 }, { m: 5 }, { returnDocument: 'after' })).toEqual({
    _id: 1, m: 5,
  });
  expect(await collection.findOneAndDelete({ n: { $exists: true } })).toEqual({ _id: 2, n: 2 });
  expect(await collection.findOneAndDelete({ n: 2 })).toBeNull();
  expect(await collection.find().toArray()).toEqual([{ _id: 1, m: 5 }]);
});

test('findAndModify reports what it did', async () => {
  const collection = await mongo.filled([{ _id: 1, n: 1 }]);
  const run = (command: Document): Promise<Document> =>
    mongo.db.command({ findAndModify: collection.collectionName, ...command });
  expect(await run({ query: { _id: 1 }, update: { $inc: { n: 1 } } })).toMatchObject({
    lastErrorObject: { n: 1, updatedExisting: true }, value: { _id: 1, n: 1 },
  });
  expect(await run({ query: { _id: 5 }, update: { $inc: { n: 1 } }, upsert: true, new: true })).toMatchObject(
    { lastErrorObject: { n: 1, updatedExisting: false, upserted: 5 }, value: { _id: 5, n: 1 } },
  );
  expect(await run({ query: { _id: 6 }, remove: true })).toMatchObject({
    lastErrorObject: { n: 0 }, value: null,
  });
});

test('a delete removes one document or all', async () => {
  const collection = await mongo.filled([1, 2, 3, 4].map((_id) => ({ _id, g: 1 })));
  expect(await collection.deleteOne({ g: 1 })).toMatchObject({ deletedCount: 1 });
  expect(await collection.deleteMany({ _id: { $gte: 3 } } as never)).toMatchObject({ deletedCount: 2 });
  expect(await collection.deleteMany({})).toMatchObject({ deletedCount: 1 });
  expect(await collection.countDocuments()).toBe(0);
});

test('an unordered batch runs all its operations and reports each failure', async () => {
  const collection = await mongo.filled([{ _id: 1 }]);
  const error = await collection.insertMany(
    [{ _id: 2 }, { _id: 1 }, { _id: 3 }, { _id: 2 }] as never, { ordered: false },
  ).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    code: 11000, insertedCount: 2, writeErrors: [{ index: 1, code: 11000 }, { index: 3, code: 11000 }],
  });
  expect((await collection.find({}, { sort: { _id: 1 } }).toArray()).map((doc) => doc._id)).toEqual([
    1, 2, 3,
  ]);
});

test('an ordered batch stops at its first failure', async () => {
  const collection = await mongo.filled([{ _id: 1 }]);
  const error = await collection.insertMany([{ _id: 2 }, { _id: 1 }, { _id: 3 }] as never).catch(
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: 11000, insertedCount: 1, writeErrors: [{ index: 1 }] });
  expect(await collection.countDocuments()).toBe(2);
});

test('a bulk write reports counts for each kind of operation', async () => {
  const collection = await mongo.filled([{ _id: 1, n: 1 }, { _id: 2, n: 2 }]);
  const result = await collection.bulkWrite(
    [
      { updateOne: { filter: { _id: 1 } as never, update: { $inc: { n: 1 } } } },
      { updateOne: { filter: { _id: 7 } as never, update: { $inc: { n: 1 } }, upsert: true } },
      { updateMany: { filter: { n: { $gt: 0 } }, update: { $set: { seen: true } } } },
      { replaceOne: { filter: { _id: 2 } as never, replacement: { n: 5 } } },
      { deleteOne: { filter: { _id: 1 } as never } },
      { insertOne: { document: { _id: 8 } as never } },
    ],
    { ordered: true },
  );
  expect(result).toMatchObject({
    matchedCount: 5, modifiedCount: 5, upsertedCount: 1, upsertedIds: { 1: 7 }, deletedCount: 1,
    insertedCount: 1,
  });
  expect(await collection.find({}, { sort: { _id: 1 } }).toArray()).toEqual([
    { _id: 2, n: 5 }, { _id: 7, n: 1, seen: true }, { _id: 8 },
  ]);
});

test('documents keep their field order, with _id first', async () => {
  const collection = await mongo.filled([{ z: 1, _id: 1, a: 2 }]);
  expect(Object.keys((await collection.findOne())!)).toEqual(['_id', 'z', 'a']);
  await collection.updateOne({ _id: 1 } as never, { $set: { m: 1, b: 1, z: 5 } });
  expect(Object.keys((await collection.findOne())!)).toEqual(['_id', 'z', 'a', 'b', 'm']);
});

test('equal numbers of different types are the same _id, and an array is not an _id', async () => {
  const collection = await mongo.filled([{ _id: 1 }]);
  await expect(collection.insertOne({ _id: Long.fromNumber(1) } as never)).rejects.toMatchObject({
    code: 11000,
  });
  await expect(collection.insertOne({ _id: [1] } as never)).rejects.toMatchObject({ code: 53 });
});
