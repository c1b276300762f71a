import { MongoClient, type Db, type Document } from 'mongodb';
import { isLoopback } from '../../../../shared/net-guard.ts';
import { runningDatabase, type RunningDatabase } from '../../../quickstart/servers/database.ts';
import type { QuickstartSettings } from '../../../quickstart/settings.ts';
import type { HostLookups } from './host-lookups.ts';

const TIMEOUTS = {
  serverSelectionTimeoutMS: 5000, connectTimeoutMS: 5000, waitQueueTimeoutMS: 5000, socketTimeoutMS: 8000,
} as const;

interface Deps {
  settings: QuickstartSettings | null;
  dataDir: string;
  hosts: HostLookups;
}

export interface ConnectedDatabase {
  db: Db;
  client: MongoClient;
  hello: Document;
  /** When `hello` was sent and received, Unix ms. */
  helloAt: { from: number; to: number };
  isOnThisHost: boolean;
}

/** A host of the database has no address. */
export class UnknownHost extends Error {}

/** The installation's database, connected to once for all checks. */
export class DatabaseAccess {
  readonly #deps: Deps;
  #connected: Promise<ConnectedDatabase> | null = null;
  #client: MongoClient | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The database that `farwatch start` runs; null if it is not running, or if MONGODB_URL names another. */
  get started(): Promise<RunningDatabase | null> {
    const { settings, dataDir } = this.#deps;
    return settings?.hasMongo ? Promise.resolve(null) : runningDatabase(dataDir);
  }

  /** Null if the settings are invalid or the database runs only with `farwatch start`, which is stopped. */
  async url(): Promise<string | null> {
    const { settings } = this.#deps;
    if (settings === null) return null;
    return settings.hasMongo ? settings.controller.mongo.url : (await this.started)?.url ?? null;
  }

  /** Null as `url`. Rejects with UnknownHost or an error of the driver. */
  async connect(): Promise<ConnectedDatabase | null> {
    const url = await this.url();
    if (url === null) return null;
    this.#connected ??= this.#open(url);
    return this.#connected;
  }

  async close(): Promise<void> {
    await this.#client?.close().catch(() => undefined);
  }

  async #open(url: string): Promise<ConnectedDatabase> {
    const client = new MongoClient(url, {
      ...TIMEOUTS, appName: 'farwatch-doctor', maxPoolSize: 5, retryReads: false, retryWrites: false,
      writeConcern: { w: 'majority', j: true }, ignoreUndefined: true,
    });
    this.#client = client;
    const { hosts, srvHost } = client.options;
    const names = hosts.flatMap(({ host, socketPath }) => (socketPath === undefined && host ? [host] : []));
    if (srvHost === undefined) {
      // The driver would report only a timeout.
      const failures = await Promise.all(names.map((name) => this.#deps.hosts.failureOf(name)));
      if (names.length > 0 && failures.every((failure) => failure !== null)) {
        throw new UnknownHost(`${names.join(', ')} cannot be looked up`);
      }
    }
    await client.connect();
    const from = Date.now();
    const hello = await client.db('admin').command({ hello: 1 });
    const named = /^mongodb(?:\+srv)?:\/\/[^/?]+\/[^?]/.test(url);
    const isOnThisHost = srvHost === undefined && names.every((name) => isLoopback(name));
    return { client, hello, helloAt: { from, to: Date.now() }, isOnThisHost, db: client.db(named ? undefined : 'farwatch') };
  }
}
