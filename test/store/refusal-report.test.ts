import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { startEmbeddedMongo } from '../../deploy/embedded/mongo/server.ts';

test('what is not served is told once each, in reads and in writes; a duplicate key is none of that', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'fw-refused-'));
  const told: string[] = [];
  const server = await startEmbeddedMongo({ dir, socketPath: join(dir, 'm.sock'), onRefusal: (text) => told.push(text) });
  const client = await MongoClient.connect(server.url);
  const rows = client.db('x').collection<{ _id: number; a?: number }>('rows');
  await rows.insertOne({ _id: 1 });
  await expect(rows.insertOne({ _id: 1 })).rejects.toThrow('E11000');
  expect(told).toEqual([]);
  for (let times = 0; times < 2; times += 1) await expect(rows.findOne({ $where: 'true' })).rejects.toThrow();
  await expect(rows.updateOne({ _id: 1 }, { $rename: { a: 'b' } })).rejects.toThrow();
  await expect(client.db('x').command({ collMod: 'rows' })).rejects.toThrow();
  expect(told).toEqual([expect.stringContaining('$where'), expect.stringContaining('$rename'), expect.stringContaining('collMod')]);
  await client.close();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});
