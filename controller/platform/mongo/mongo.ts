import type { Socket } from 'node:net';
import { MongoClient, MongoNetworkError, type Db, type Document } from 'mongodb';
// @ts-expect-error The driver has no types for its internals.
import { Connection } from 'mongodb/lib/cmap/connection.js';
import { databaseOf } from '../../../shared/database.ts';
import type { Log } from '../../../shared/log.ts';
import { sleep, type Clock } from '../../../shared/time.ts';
import { stopPoolTimers } from './mongo-pool-timer.ts';

export interface Mongo {
  readonly db: Db;
  /** Rejects if the database doesn't respond. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface MongoOptions {
  maxPoolSize?: number;
  /** Called with each command sent. */
  onCommand?: ((command: Document) => void) | undefined;
}

/**
 * An operation hits one of the first three timeouts or the last, so it fails within 5 s if the database is
 * gone, refuses or hangs. The driver's retries are off for the same reason.
 */
const TIMEOUTS = {
  serverSelectionTimeoutMS: 2000,
  waitQueueTimeoutMS: 2000,
  connectTimeoutMS: 2000,
  socketTimeoutMS: 4500,
} as const;

const PING_INTERVAL_MS = 1000;
const WAITING_LOG_INTERVAL_MS = 5000;

/** The driver's connection to the database in `url`. After a first ping it reconnects by itself. */
export function openMongo(url: string, { maxPoolSize = 50, onCommand }: MongoOptions = {}): Mongo {
  guardDeadSockets();
  stopPoolTimers();
  const client = new MongoClient(url, {
    ...TIMEOUTS,
    appName: 'farwatch',
    maxPoolSize,
    retryReads: false,
    retryWrites: false,
    writeConcern: { w: 'majority', j: true },
    ignoreUndefined: true,
    monitorCommands: onCommand !== undefined,
  });
  client.on('commandStarted', (event) => onCommand?.(event.command));
  const db = client.db(databaseOf(url));
  return {
    db,
    ping: async () => {
      // Once a first connection has failed, operations fail forever unless `connect` is called again.
      await client.connect();
      await db.command({ ping: 1 });
    },
    close: () => client.close(),
  };
}

/** Resolves once the database responds, however long that takes; logs the cause every few seconds. */
export async function waitForMongo(mongo: Mongo, deps: { clock: Clock; log: Log }): Promise<void> {
  const { clock, log } = deps;
  for (let loggedAt = -Infinity; ; await sleep(clock, PING_INTERVAL_MS)) {
    try {
      return await mongo.ping();
    } catch (error) {
      if (clock.monotonic() - loggedAt < WAITING_LOG_INTERVAL_MS) continue;
      loggedAt = clock.monotonic();
      log.warn({ reason: firstLine(error) }, 'waiting for MongoDB');
    }
  }
}

/** Driver messages can span lines; none contains the URL's password. */
function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n', 1)[0] as string).slice(0, 300);
}

const GUARDED = Symbol.for('farwatch.mongo-dead-socket');

interface DriverConnection {
  readonly socket: Socket;
  writeCommand(command: unknown, options: unknown): Promise<void>;
  [GUARDED]?: true;
}

/**
 * Makes commands fail on a dead socket that has not emitted an event yet. Driver 7.8 would write to it, wait
 * for `drain`, and hang forever, past every timeout; a test reproduces the hang.
 */
export function guardDeadSockets(): void {
  const prototype: DriverConnection = Connection.prototype;
  if (prototype[GUARDED] === true) return;
  prototype[GUARDED] = true;
  const write = prototype.writeCommand;
  prototype.writeCommand = async function (this: DriverConnection, command, options): Promise<void> {
    const isDead = this.socket.destroyed || this.socket.writableEnded;
    if (isDead) throw new MongoNetworkError('the connection was closed');
    return write.call(this, command, options);
  };
}
