import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { startEmbeddedMongo } from '../../deploy/embedded/mongo/server.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';
import { testMongo } from '../helpers/mongo.ts';

test('the store reports each unsupported read or write once, but no duplicate keys', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'fw-refused-'));
  const refusals: string[] = [];
  const onRefusal = (text: string): void => void refusals.push(text);
  const server = await startEmbeddedMongo({ dir, socketPath: join(dir, 'm.sock'), onRefusal });
  const client = await MongoClient.connect(server.url);
  const rows = client.db('x').collection<{ _id: number; a?: number }>('rows');
  await rows.insertOne({ _id: 1 });
  await expect(rows.insertOne({ _id: 1 })).rejects.toThrow('E11000');
  expect(refusals).toEqual([]);
  for (let times = 0; times < 2; times += 1) await expect(rows.findOne({ $where: 'true' })).rejects.toThrow();
  await expect(rows.updateOne({ _id: 1 }, { $rename: { a: 'b' } })).rejects.toThrow();
  await expect(client.db('x').command({ collMod: 'rows' })).rejects.toThrow();
  const names = ['$where', '$rename', 'collMod'];
  expect(refusals).toEqual(names.map((name) => expect.stringContaining(name) as string));
  await client.close();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

test('a watched connection fails when it closes if a command was outside the closed list', async () => {
  const server = await testMongo();
  const mongo = checkedMongo(server.url);
  const things = mongo.db.collection('things');
  await things.insertOne({ n: 1 });
  await things.bulkWrite([
    { updateOne: { filter: { n: 1 }, update: { $set: { n: 2 } } } },
    { deleteOne: { filter: { n: 3 } } },
  ]);
  await things.find({ n: { $gt: 0 } }, { batchSize: 1 }).toArray();
  await things.countDocuments({ n: 2 });
  await things.createIndex({ n: 1 }, { name: 'n' });
  await things.findOne({ n: { $mod: [2, 0] } }).catch(() => undefined);
  await expect(mongo.close()).rejects.toThrow('closed list: find: unknown operator: $mod');
  await server.stop();
});
