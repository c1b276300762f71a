import { MongoClient, type Db, type Document } from 'mongodb';
import { guardDeadSockets } from './mongo-dead-socket.ts';

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

export interface MongoOptions {
  maxPoolSize?: number;
  /** Told of each command that is sent. */
  onCommand?: ((command: Document) => void) | undefined;
}

/** Driver connection to the database that `url` names. Once a ping has succeeded it connects again whenever it has to. */
export function openMongo(url: string, options: MongoOptions = {}): Mongo {
  guardDeadSockets();
  const client = new MongoClient(url, {
    ...WAITS,
    appName: 'farwatch',
    maxPoolSize: options.maxPoolSize ?? 50,
    retryReads: false,
    retryWrites: false,
    writeConcern: { w: 'majority', j: true },
    ignoreUndefined: true,
    monitorCommands: options.onCommand !== undefined,
  });
  client.on('commandStarted', (event) => options.onCommand?.(event.command));
  const hasName = /^mongodb(?:\+srv)?:\/\/[^/?]+\/[^?]/.test(url);
  const db = client.db(hasName ? undefined : 'farwatch');
  return {
    db,
    ping: async () => {
      // A first connection that failed is for ever closed to operations; only this makes another.
      await client.connect();
      await db.command({ ping: 1 });
    },
    close: () => client.close(),
  };
}
