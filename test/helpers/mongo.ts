import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../../deploy/embedded/mongo/server.ts';
import { startNullFreeProxy } from './null-free-proxy.ts';

export interface TestMongo {
  /** Connection string with a fresh default database for this caller only. */
  readonly url: string;
  /** Name of that database. */
  readonly database: string;
  /** Drops the database, or the whole embedded server with its files. */
  stop(): Promise<void>;
}

/**
 * A fresh database on the server named by TEST_MONGODB_URL, or on an embedded one in this process. In files that
 * `isNullFree` selects, it stores no field that is null.
 */
export async function testMongo(): Promise<TestMongo> {
  const mongo = await freshMongo();
  if (process.env['TEST_NULL_FREE'] !== 'yes') return mongo;
  const proxy = await startNullFreeProxy(mongo.url);
  return {
    url: proxy.url,
    database: mongo.database,
    stop: async () => {
      await proxy.close();
      await mongo.stop();
    },
  };
}

async function freshMongo(): Promise<TestMongo> {
  const database = `t_${randomBytes(6).toString('hex')}`;
  const external = process.env['TEST_MONGODB_URL'];
  if (external !== undefined && external !== '') return externalMongo(external, database);
  const dir = mkdtempSync(join(fastestDir(), 'fw-mongo-'));
  const onError = (message: string, error: unknown): void => console.error(message, error);
  const server = await startEmbeddedMongo({ dir, socketPath: join(dir, 'm.sock'), onError });
  return {
    url: withDatabase(server.url, database),
    database,
    async stop() {
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

const [SHARED_MEMORY, MIN_FREE_BYTES] = ['/dev/shm', 2 ** 30];

/** In memory where there is room: most of a write is waiting for the disk. */
function fastestDir(): string {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return bavail * bsize < MIN_FREE_BYTES ? tmpdir() : SHARED_MEMORY;
  } catch {
    return tmpdir();
  }
}

async function externalMongo(base: string, database: string): Promise<TestMongo> {
  const url = withDatabase(base, database);
  return {
    url,
    database,
    async stop() {
      const client = await MongoClient.connect(url);
      await client.db().dropDatabase();
      await client.close();
    },
  };
}

/** The connection string with another database. Users still authenticate at the database that stores them. */
export function withDatabase(url: string, database: string): string {
  const [, head, query] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(?:\?(.*))?$/.exec(url) ?? [];
  if (head === undefined) throw new Error(`not a MongoDB connection string: ${url}`);
  const options = new URLSearchParams(query ?? '');
  if (head.includes('@') && !options.has('authSource')) options.set('authSource', 'admin');
  const text = options.toString();
  return `${head}/${database}${text === '' ? '' : `?${text}`}`;
}
