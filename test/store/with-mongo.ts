import { MongoClient, type Collection, type Db, type Document } from 'mongodb';
import { afterAll, beforeAll } from 'vitest';
import type { Mongo } from '../../controller/platform/mongo/mongo.ts';
import { testMongo, type TestMongo } from '../helpers/mongo.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';

export interface WithMongo {
  readonly db: Db;
  readonly client: MongoClient;
  /** Creates a collection with these documents. */
  filled<T extends Document = Document>(docs: readonly Document[]): Promise<Collection<T>>;
}

/** Starts a server and a client for the tests of one file. */
export function withMongo(): WithMongo {
  let mongo: TestMongo;
  let client: MongoClient;
  let serial = 0;
  beforeAll(async () => {
    mongo = await testMongo();
    client = await MongoClient.connect(mongo.url);
  });
  afterAll(async () => {
    await client?.close();
    await mongo?.stop();
  });
  return {
    get db() {
      return client.db();
    },
    get client() {
      return client;
    },
    async filled<T extends Document = Document>(docs: readonly Document[]) {
      const collection = client.db().collection<T>(`c${++serial}`);
      if (docs.length > 0) await collection.insertMany(docs as never);
      return collection;
    },
  };
}

export interface WithCheckedMongo {
  readonly url: string;
  readonly db: Db;
}

/** Starts a server and the product's connection to it, which fails on a command outside the closed list. */
export function withCheckedMongo(onCommand?: (command: Document) => void): WithCheckedMongo {
  let server: TestMongo;
  let mongo: Mongo;
  beforeAll(async () => {
    server = await testMongo();
    mongo = checkedMongo(server.url, onCommand);
  });
  afterAll(async () => {
    await mongo?.close();
    await server?.stop();
  });
  return {
    get url() {
      return server.url;
    },
    get db() {
      return mongo.db;
    },
  };
}

/** True when the tests run on the embedded store, the only one that rejects operations outside the closed list. */
export const isEmbedded = (process.env['TEST_MONGODB_URL'] ?? '') === '';
