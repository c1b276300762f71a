import { Binary } from 'mongodb';
import { expect, test } from 'vitest';
import { withMongo } from './with-mongo.ts';

const mongo = withMongo();

test('documents are written, found, changed and removed', async () => {
  const things = mongo.db.collection<{ _id: string; n?: number; tags?: string[]; body?: Binary }>('things');
  await things.insertMany([{ _id: 'a', n: 1, tags: ['x'] }, { _id: 'b', n: 2, body: new Binary(Buffer.alloc(100_000, 7)) }]);
  expect(await things.findOne({ _id: 'a' })).toEqual({ _id: 'a', n: 1, tags: ['x'] });
  expect(await things.updateOne({ _id: 'a', n: { $lt: 5 } }, { $set: { n: 7 }, $push: { tags: 'y' } })).toMatchObject({ matchedCount: 1, modifiedCount: 1 });
  expect(await things.findOne({ n: 7 })).toEqual({ _id: 'a', n: 7, tags: ['x', 'y'] });
  expect(await things.findOneAndUpdate({ _id: 'c' }, { $inc: { n: 3 } }, { upsert: true, returnDocument: 'after' })).toEqual({ _id: 'c', n: 3 });
  await things.createIndex({ n: 1 }, { unique: true, name: 'n' });
  await expect(things.insertOne({ _id: 'd', n: 7 })).rejects.toMatchObject({ code: 11000, keyPattern: { n: 1 }, keyValue: { n: 7 } });
  expect((await things.find({}, { sort: { n: -1 }, projection: { _id: 1 } }).toArray()).map((thing) => thing._id)).toEqual(['a', 'c', 'b']);
  expect(await things.countDocuments({ n: { $gte: 3 } })).toBe(2);
  expect(await things.distinct('tags')).toEqual(['x', 'y']);
  expect(await things.deleteMany({ n: { $gt: 2 } })).toMatchObject({ deletedCount: 2 });
  expect(await things.estimatedDocumentCount()).toBe(1);
  const result = await things.bulkWrite([
    { replaceOne: { filter: { _id: 'b', n: { $lt: 9 } }, replacement: { n: 9 }, upsert: true } },
    { updateOne: { filter: { _id: 'z' }, update: { $setOnInsert: { n: 1 } }, upsert: true } },
    { deleteOne: { filter: { _id: 'none' } } },
  ], { ordered: false });
  expect(result).toMatchObject({ matchedCount: 1, modifiedCount: 1, upsertedCount: 1, deletedCount: 0 });
  expect(await things.aggregate([{ $group: { _id: null, total: { $sum: '$n' } } }]).toArray()).toEqual([{ _id: null, total: 10 }]);
});
