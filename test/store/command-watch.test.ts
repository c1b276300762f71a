import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { watchCommands } from '../helpers/command-watch.ts';
import { testMongo } from '../helpers/mongo.ts';

test('a watched client reports what it sends outside the closed list, and only that', async () => {
  const mongo = await testMongo();
  const client = new MongoClient(mongo.url, { monitorCommands: true });
  try {
    const watch = watchCommands(client);
    const things = client.db().collection('things');
    await things.insertOne({ n: 1 });
    await things.bulkWrite([{ updateOne: { filter: { n: 1 }, update: { $set: { n: 2 } } } }, { deleteOne: { filter: { n: 3 } } }]);
    await things.find({ n: { $gt: 0 } }, { batchSize: 1 }).toArray();
    await things.countDocuments({ n: 2 });
    await things.estimatedDocumentCount();
    await things.createIndex({ n: 1 }, { name: 'n' });
    await things.indexes();
    expect(watch.violations()).toEqual([]);
    expect(watch.seen()).toBeGreaterThan(6);
    await things.findOne({ n: { $mod: [2, 0] } }).catch(() => undefined);
    expect(watch.violations()).toEqual(['find: the query operator $mod']);
  } finally {
    await client.close();
    await mongo.stop();
  }
});
