import { MongoClient } from 'mongodb';
// @ts-expect-error The driver has no types for its internals.
import { ConnectionPool } from 'mongodb/lib/cmap/connection_pool.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testMongo, type TestMongo } from '../helpers/mongo.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';

interface Pool {
  minPoolSizeTimer: unknown;
}

let server: TestMongo;
const { prototype } = ConnectionPool as { prototype: { ready(this: Pool): void } };
const { ready } = prototype;
const pools: Pool[] = [];

beforeAll(async () => {
  server = await testMongo();
  prototype.ready = function (): void {
    pools.push(this);
    ready.call(this);
  };
});

afterAll(async () => {
  prototype.ready = ready;
  await server?.stop();
});

test('the driver sets no timer to maintain connections that were not requested', async () => {
  const mongo = checkedMongo(server.url);
  await mongo.ping();
  expect(pools.map((pool) => pool.minPoolSizeTimer)).toEqual([undefined]);
  await mongo.close();
});

test('a minimum number of connections is still maintained', async () => {
  pools.length = 0;
  const client = await MongoClient.connect(server.url, { minPoolSize: 2 });
  await client.db().command({ ping: 1 });
  expect(pools.map((pool) => pool.minPoolSizeTimer)).toEqual([expect.anything()]);
  await client.close();
});
