import { MongoClient, MongoError, MongoServerError, type Db } from 'mongodb';

export interface Mongo {
  readonly db: Db;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Waits of the driver, ms. An operation meets one of the first three or the last, so that it fails within 5 s
 * when the database is gone, refuses or hangs; that is also why it is not retried here.
 */
const WAITS = {
  serverSelectionTimeoutMS: 2000,
  waitQueueTimeoutMS: 2000,
  connectTimeoutMS: 2000,
  socketTimeoutMS: 4500,
} as const;

/** Driver connection to the database that `url` names. Connects with the first operation, and again whenever it has to. */
export function openMongo(url: string, options: { maxPoolSize?: number } = {}): Mongo {
  const client = new MongoClient(url, {
    ...WAITS,
    appName: 'farwatch',
    maxPoolSize: options.maxPoolSize ?? 50,
    retryReads: false,
    retryWrites: false,
    writeConcern: { w: 'majority', j: true },
    ignoreUndefined: true,
  });
  const hasName = /^mongodb(?:\+srv)?:\/\/[^/?]+\/[^?]/.test(url);
  const db = client.db(hasName ? undefined : 'farwatch');
  return {
    db,
    ping: async () => {
      await db.command({ ping: 1 });
    },
    close: () => client.close(),
  };
}

/** Error classes of the driver that say: no answer came from the database. */
const UNAVAILABLE = new Set([
  'MongoServerSelectionError',
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoWaitQueueTimeoutError',
  'MongoPoolClearedError',
  'MongoPoolClosedError',
  'MongoTopologyClosedError',
  'MongoNotConnectedError',
  'MongoConnectionClosedError',
  'MongoClientClosedError',
  'MongoServerClosedError',
  'MongoExpiredSessionError',
]);

/** Server codes for: not now (no primary, shutting down, write not confirmed in time). */
const NOT_NOW = new Set([50, 64, 91, 189, 202, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** Whether `error` means that the database cannot be reached or cannot serve now, so that trying later may help. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof MongoError)) return false;
  if (UNAVAILABLE.has(error.name)) return true;
  return error instanceof MongoServerError && typeof error.code === 'number' && NOT_NOW.has(error.code);
}

/** Whether a write was refused because a unique index already holds its key. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11000;
}
