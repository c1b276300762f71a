import { expect, test } from 'vitest';
import { withMongo } from './with-mongo.ts';

// Expected results taken from MongoDB's manual: "Unique Indexes", "Sparse Indexes", "Multikey Indexes".
const mongo = withMongo();

test('a unique index rejects a second equal key, including null and missing', async () => {
  interface Doc {
    _id: number;
    a?: number | null;
    b?: number;
  }
  const collection = await mongo.filled<Doc>([{ _id: 1, a: 1 }, { _id: 2 }]);
  await collection.createIndex({ a: 1 }, { unique: true, name: 'a' });
  await expect(collection.insertOne({ _id: 3, a: 1 })).rejects.toMatchObject({ code: 11000 });
  await expect(collection.insertOne({ _id: 3, a: null })).rejects.toMatchObject({ code: 11000 });
  await expect(collection.updateOne({ _id: 2 }, { $set: { a: 1 } })).rejects.toMatchObject({ code: 11000 });
  expect(await collection.updateOne({ _id: 1 }, { $set: { b: 1 } })).toMatchObject({ modifiedCount: 1 });
  await collection.deleteOne({ _id: 1 });
  await collection.insertOne({ _id: 3, a: 1 });
});

test('a duplicate key error names the collection and the index', async () => {
  const collection = await mongo.filled([{ mail: 'a@b' }]);
  await collection.createIndex({ mail: 1 }, { unique: true, name: 'mail_unique' });
  const { collectionName: name } = collection;
  await expect(collection.insertOne({ mail: 'a@b' })).rejects.toThrow(
    `E11000 duplicate key error collection: ${mongo.db.databaseName}.${name} index: mail_unique`,
  );
});

test('a sparse unique index ignores documents without the field', async () => {
  const collection = await mongo.filled([]);
  await collection.createIndex({ slug: 1 }, { unique: true, sparse: true, name: 'slug' });
  await collection.insertMany([{ a: 1 }, { a: 2 }, { slug: 'x' }]);
  await expect(collection.insertOne({ slug: 'x' })).rejects.toMatchObject({ code: 11000 });
  await collection.insertOne({ slug: null });
  await expect(collection.insertOne({ slug: null })).rejects.toMatchObject({ code: 11000 });
  expect(await collection.find({}, { sort: { slug: 1 } }).toArray()).toHaveLength(4);
  expect(await collection.countDocuments({ slug: { $exists: false } })).toBe(2);
  expect(await collection.find({}, { hint: 'slug' }).toArray()).toHaveLength(2);
});

test('a compound unique index compares all its fields', async () => {
  const names = [[1, 'a'], [1, 'b'], [2, 'a']] as const;
  const collection = await mongo.filled(names.map(([org, name]) => ({ org, name })));
  await collection.createIndex({ org: 1, name: -1 }, { unique: true, name: 'org_name' });
  await expect(collection.insertOne({ org: 2, name: 'a' })).rejects.toMatchObject({ code: 11000 });
  await collection.insertOne({ org: 2, name: 'b' });
});

test('a unique index over an array compares elements across documents', async () => {
  const collection = await mongo.filled([{ _id: 1, t: ['a', 'b'] }]);
  await collection.createIndex({ t: 1 }, { unique: true, name: 't' });
  await expect(collection.insertOne({ t: ['c', 'b'] } as never)).rejects.toMatchObject({ code: 11000 });
  await collection.insertOne({ _id: 2, t: ['c', 'c'] } as never);
});

test('an index cannot cover two arrays of one document', async () => {
  const collection = await mongo.filled([]);
  await collection.createIndex({ a: 1, b: 1 }, { name: 'ab' });
  await collection.insertOne({ a: [1], b: 1 });
  await expect(collection.insertOne({ a: [1], b: [2] })).rejects.toMatchObject({ code: 171 });
});

test('different elements of an indexed array may satisfy the two bounds of a range', async () => {
  const collection = await mongo.filled([{ _id: 1, t: [1, 9] }, { _id: 2, t: [5] }, { _id: 3, t: [9] }]);
  await collection.createIndex({ t: 1 }, { name: 't' });
  const found = await collection.find({ t: { $gt: 4, $lt: 6 } }, { hint: 't', sort: { _id: 1 } }).toArray();
  expect(found.map((doc) => doc._id)).toEqual([1, 2]);
});

test('different elements of an indexed array may match two fields', async () => {
  const collection = await mongo.filled([{ _id: 1, l: [{ x: 1, y: 2 }, { x: 3, y: 4 }] }]);
  await collection.createIndex({ 'l.x': 1, 'l.y': 1 }, { name: 'xy' });
  expect(await collection.find({ 'l.x': 1, 'l.y': 4 }, { hint: 'xy' }).toArray()).toHaveLength(1);
});

test('an index that the data contradicts is not created', async () => {
  const collection = await mongo.filled([{ a: 1 }, { a: 1 }]);
  const refused = collection.createIndex({ a: 1 }, { unique: true, name: 'a' });
  await expect(refused).rejects.toMatchObject({ code: 11000 });
  await expect(collection.find({}, { hint: 'a' }).toArray()).rejects.toMatchObject({ code: 2 });
  await collection.insertOne({ a: 1 });
});

test('an index is created once, and keeps its name, fields and options', async () => {
  const collection = await mongo.filled([{ a: 1, b: { c: 2 } }]);
  const specs = [
    { key: { a: 1, 'b.c': -1 }, name: 'abc' },
    { key: { s: 1 }, name: 's', sparse: true, unique: true },
  ] as const;
  expect(await collection.createIndexes([...specs])).toEqual(['abc', 's']);
  expect(await collection.createIndex({ a: 1, 'b.c': -1 }, { name: 'abc' })).toBe('abc');
  const taken = collection.createIndex({ z: 1 }, { name: 'abc' });
  await expect(taken).rejects.toMatchObject({ code: 86 });
  const renamed = collection.createIndex({ s: 1 }, { name: 'other', sparse: true, unique: true });
  await expect(renamed).rejects.toMatchObject({ code: 85 });
  const changed = collection.createIndex({ s: 1 }, { name: 's', sparse: true });
  await expect(changed).rejects.toMatchObject({ code: 86 });
});
