import { expect, test } from 'vitest';
import { withMongo } from './with-mongo.ts';

// Expected results by hand from MongoDB's manual: "Unique Indexes", "Sparse Indexes", "Multikey Indexes".
const mongo = withMongo();

test('a unique index refuses a second equal key, null and missing included', async () => {
  const collection = await mongo.filled([{ _id: 1, a: 1 }, { _id: 2 }]);
  await collection.createIndex({ a: 1 }, { unique: true, name: 'a' });
  await expect(collection.insertOne({ _id: 3, a: 1 } as never)).rejects.toMatchObject({ code: 11000, keyPattern: { a: 1 }, keyValue: { a: 1 } });
  await expect(collection.insertOne({ _id: 3, a: null } as never)).rejects.toMatchObject({ code: 11000 });
  await expect(collection.updateOne({ _id: 2 } as never, { $set: { a: 1 } })).rejects.toMatchObject({ code: 11000 });
  expect(await collection.updateOne({ _id: 1 } as never, { $set: { b: 1 } })).toMatchObject({ modifiedCount: 1 });
  await collection.deleteOne({ _id: 1 } as never);
  await collection.insertOne({ _id: 3, a: 1 } as never);
});

test('a message names the collection, the index and the key', async () => {
  const collection = await mongo.filled([{ _id: 'x', mail: 'a@b' }]);
  await collection.createIndex({ mail: 1 }, { unique: true, name: 'mail_unique' });
  const error = (await collection.insertOne({ mail: 'a@b' } as never).catch((reason: unknown) => reason)) as Error;
  expect(error.message).toContain(`E11000 duplicate key error collection: ${mongo.db.databaseName}.${collection.collectionName} index: mail_unique dup key: { mail: "a@b" }`);
});

test('a sparse unique index lets documents without the field be', async () => {
  const collection = await mongo.filled([]);
  await collection.createIndex({ slug: 1 }, { unique: true, sparse: true, name: 'slug' });
  await collection.insertMany([{ a: 1 }, { a: 2 }, { slug: 'x' }]);
  await expect(collection.insertOne({ slug: 'x' })).rejects.toMatchObject({ code: 11000 });
  await collection.insertOne({ slug: null });
  await expect(collection.insertOne({ slug: null })).rejects.toMatchObject({ code: 11000 });
  expect(await collection.find({}, { sort: { slug: 1 } }).toArray()).toHaveLength(4);
  expect(await collection.countDocuments({ slug: { $exists: false } })).toBe(2);
});

test('a compound unique index looks at all its fields', async () => {
  const collection = await mongo.filled([{ org: 1, name: 'a' }, { org: 1, name: 'b' }, { org: 2, name: 'a' }]);
  await collection.createIndex({ org: 1, name: -1 }, { unique: true, name: 'org_name' });
  await expect(collection.insertOne({ org: 2, name: 'a' })).rejects.toMatchObject({ code: 11000, keyValue: { org: 2, name: 'a' } });
  await collection.insertOne({ org: 2, name: 'b' });
});

test('a unique index over an array looks at elements across documents', async () => {
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

test('an index that the data contradicts is not made', async () => {
  const collection = await mongo.filled([{ a: 1 }, { a: 1 }]);
  await expect(collection.createIndex({ a: 1 }, { unique: true, name: 'a' })).rejects.toMatchObject({ code: 11000 });
  expect((await collection.indexes()).map((index) => index.name)).toEqual(['_id_']);
  await collection.insertOne({ a: 1 });
});

test('indexes are listed, dropped and made again', async () => {
  const collection = await mongo.filled([{ a: 1, b: { c: 2 } }]);
  expect(await collection.createIndexes([{ key: { a: 1, 'b.c': -1 }, name: 'abc' }, { key: { s: 1 }, name: 's', sparse: true, unique: true }])).toEqual(['abc', 's']);
  expect(await collection.createIndex({ a: 1, 'b.c': -1 }, { name: 'abc' })).toBe('abc');
  expect(await collection.indexes()).toMatchObject([
    { key: { _id: 1 }, name: '_id_' },
    { key: { a: 1, 'b.c': -1 }, name: 'abc' },
    { key: { s: 1 }, name: 's', sparse: true, unique: true },
  ]);
  await expect(collection.createIndex({ z: 1 }, { name: 'abc' })).rejects.toMatchObject({ code: 86 });
  await expect(collection.createIndex({ s: 1 }, { name: 'other', sparse: true, unique: true })).rejects.toMatchObject({ code: 85 });
  await collection.dropIndex('abc');
  await expect(collection.dropIndex('abc')).rejects.toMatchObject({ code: 27 });
  await expect(collection.dropIndex('_id_')).rejects.toMatchObject({ code: 72 });
  await collection.dropIndexes();
  expect(await collection.indexes()).toHaveLength(1);
});

test('collections are listed, dropped and empty afterwards', async () => {
  const collection = await mongo.filled([{ a: 1 }]);
  await collection.createIndex({ a: 1 }, { unique: true, name: 'a' });
  const names = async (): Promise<string[]> => (await mongo.db.listCollections({ name: collection.collectionName }, { nameOnly: true }).toArray()).map((entry) => entry.name);
  expect(await names()).toEqual([collection.collectionName]);
  expect(await collection.drop()).toBe(true);
  expect(await names()).toEqual([]);
  await collection.insertMany([{ a: 1 }, { a: 1 }]);
  expect(await collection.countDocuments()).toBe(2);
});

test('a database is dropped with all it holds', async () => {
  const db = mongo.client.db(`${mongo.db.databaseName}_x`);
  await db.collection('one').insertOne({ a: 1 });
  await db.collection('two').insertOne({ a: 1 });
  expect((await mongo.client.db().admin().listDatabases({ nameOnly: true })).databases.map((entry) => entry.name)).toContain(db.databaseName);
  await db.dropDatabase();
  expect(await db.listCollections().toArray()).toEqual([]);
});

test('a cursor whose index or collection is dropped ends with an error, not early', async () => {
  const collection = await mongo.filled(Array.from({ length: 10 }, (_, _id) => ({ _id, a: _id })));
  await collection.createIndex({ a: 1 }, { name: 'a' });
  const viaIndex = collection.find({ a: { $gte: 0 } }, { hint: 'a', batchSize: 2 });
  const viaId = collection.find({}, { batchSize: 2 });
  await viaIndex.next();
  await viaId.next();
  await collection.dropIndex('a');
  await expect(viaIndex.toArray()).rejects.toMatchObject({ code: 175 });
  await collection.drop();
  await expect(viaId.toArray()).rejects.toMatchObject({ code: 175 });
});
