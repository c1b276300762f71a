import { chmodSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { lockDirectory } from '../../../shared/directory-lock.ts';
import { systemClock } from '../../../shared/time.ts';
import { Cursors } from './commands/cursors.ts';
import { Dispatcher } from './commands/dispatch.ts';
import { Catalog } from './storage/catalog.ts';
import { openEngine, type Engine } from './storage/engine.ts';
import { Storage } from './storage/storage.ts';
import { Connection } from './wire/connection.ts';

export interface EmbeddedMongoOptions {
  /** Data directory; created if missing. */
  readonly dir: string;
  /**
   * Listens on this Unix socket instead of loopback TCP, which every user of the host can reach. Drivers
   * require the name to end in `.sock`.
   */
  readonly socketPath?: string;
  /** Opens the files in `dir`; lmdb by default. */
  readonly engine?: (dir: string) => Promise<Engine>;
  /** 0 or absent for any free port. */
  readonly port?: number;
  readonly onError?: (message: string, error: unknown) => void;
  /** Receives each unsupported request once, up to a hundred of them. */
  readonly onRefusal?: (text: string) => void;
  /** Called once if the disk has failed and the server accepts no more writes. */
  readonly onFatal?: (error: unknown) => void;
}

export interface EmbeddedMongo {
  /** Connection string for the official driver, including options. */
  readonly url: string;
  /** Closes all connections, finishes pending writes and closes the files. */
  stop(): Promise<void>;
}

/** Maximum clients; further ones are rejected. */
const MAX_CONNECTIONS = 1000;
/**
 * Standalone without retryable writes. A local server can't vanish unnoticed, so clients need no heartbeat
 * every ten seconds.
 */
const URL_OPTIONS = 'directConnection=true&retryWrites=false&heartbeatFrequencyMS=60000';

/** Opens the store in `dir` and serves it. Rejects if the directory is in use or the server can't listen. */
export async function startEmbeddedMongo(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const unlock = await lockDirectory(options.dir);
  try {
    const { url, stop } = await serve(options);
    return {
      url,
      async stop() {
        try {
          await stop();
        } finally {
          await unlock();
        }
      },
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function serve(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const { socketPath, onError = () => undefined, onRefusal = () => undefined } = options;
  const storage = new Storage(await (options.engine ?? openEngine)(options.dir), (error) => {
    onError('the store failed to write', error);
    options.onFatal?.(error);
  });
  const cursors = new Cursors(systemClock);
  const dispatcher = new Dispatcher({ storage, catalog: new Catalog(storage), cursors }, {
    onBug: (error) => onError('a command failed unexpectedly', error),
    onRefusal,
  });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    new Connection(socket, dispatcher);
  });
  server.maxConnections = MAX_CONNECTIONS;
  const stop = async (): Promise<void> => {
    server.close();
    for (const socket of sockets) socket.destroy();
    cursors.stop();
    await storage.close();
    if (socketPath !== undefined) rmSync(socketPath, { force: true });
  };
  try {
    return { url: await listen(server, options), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function listen(server: Server, { socketPath, port }: EmbeddedMongoOptions): Promise<string> {
  // The directory is locked, so an existing socket is left over from a killed server.
  if (socketPath !== undefined) rmSync(socketPath, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (socketPath !== undefined) server.listen({ path: socketPath }, resolve);
    else server.listen({ host: '127.0.0.1', port: port ?? 0 }, resolve);
  });
  if (socketPath !== undefined) chmodSync(socketPath, 0o600);
  const address = server.address() as AddressInfo | string;
  const host = typeof address === 'string' ? encodeURIComponent(address) : `127.0.0.1:${address.port}`;
  return `mongodb://${host}/?${URL_OPTIONS}`;
}
