import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { systemClock, type Clock } from '../../../shared/time.ts';
import { answer, encodeFailure } from './commands/dispatch.ts';
import type { Context } from './commands/context.ts';
import { Cursors } from './commands/cursors.ts';
import { lockDirectory } from './dir-lock.ts';
import { Catalog } from './storage/catalog.ts';
import { openEngine } from './storage/open-engine.ts';
import { Storage } from './storage/storage.ts';
import { Connection } from './wire/connection.ts';

export interface EmbeddedMongoOptions {
  /** Data directory; made when missing. */
  readonly dir: string;
  /** Listen on this Unix socket, whose name ends in `.sock` (the driver knows it by that); without it on loopback TCP. */
  readonly socketPath?: string;
  /** 0 or none: any free port. */
  readonly port?: number;
  readonly clock?: Clock;
  readonly log?: (level: 'error', message: string, error: unknown) => void;
  /** Told once of each thing that was asked for and is not served, of the first hundred. */
  readonly onRefusal?: (text: string) => void;
  /** Called once when the disk has failed and the server answers nothing more. */
  readonly onFatal?: (error: unknown) => void;
}

export interface EmbeddedMongo {
  /** Connection string for the official driver; options included. */
  readonly url: string;
  /** Ends all connections, finishes what is being written and closes the files. */
  stop(): Promise<void>;
}

/** Further clients are turned away. */
const MAX_CONNECTIONS = 1000;
/** Refusals beyond it are not reported. */
const MAX_REFUSALS = 100;
/** A standalone reached directly; it keeps no record of retried writes. */
const URL_OPTIONS = 'directConnection=true&retryWrites=false';

/** Opens the store in `dir` and serves it. Rejects when the directory is in use or the address cannot be had. */
export async function startEmbeddedMongo(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  // There are no passwords: who may enter the directory may use its socket.
  mkdirSync(options.dir, { recursive: true, mode: 0o700 });
  const unlock = lockDirectory(options.dir);
  try {
    return await serve(options, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function serve(options: EmbeddedMongoOptions, unlock: () => void): Promise<EmbeddedMongo> {
  const clock = options.clock ?? systemClock;
  const log = options.log ?? (() => undefined);
  const { engine, stats } = await openEngine(options.dir);
  const storage = new Storage(engine, (error) => {
    log('error', 'the store failed to write', error);
    options.onFatal?.(error);
  });
  const context: Context = { storage, catalog: new Catalog(storage), cursors: new Cursors(clock), clock, engineStats: stats };
  const onBug = (error: unknown): void => log('error', 'a command failed unexpectedly', error);
  const refused = new Set<string>();
  const onRefusal = (text: string): void => {
    if (refused.size >= MAX_REFUSALS || refused.has(text)) return;
    refused.add(text);
    options.onRefusal?.(text);
  };
  const responder = {
    answer: (request: Parameters<typeof answer>[1]) => answer(context, request, { onBug, onRefusal }),
    answerError: (error: unknown) => encodeFailure(error, onBug),
  };
  const connections = new Map<Socket, Connection>();
  const server = createServer((socket) => {
    connections.set(socket, new Connection(socket, responder));
    socket.on('close', () => connections.delete(socket));
  });
  server.maxConnections = MAX_CONNECTIONS;
  const stop = async (): Promise<void> => {
    server.close();
    for (const connection of connections.values()) connection.close();
    context.cursors.stop();
    await storage.close();
    if (options.socketPath !== undefined) rmSync(options.socketPath, { force: true });
    unlock();
  };
  try {
    return { url: await listen(server, options), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function listen(server: Server, { socketPath, port }: EmbeddedMongoOptions): Promise<string> {
  // The directory is ours alone, so a socket that is there already was left by a killed server.
  if (socketPath !== undefined) rmSync(socketPath, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (socketPath !== undefined) server.listen({ path: socketPath }, resolve);
    else server.listen({ host: '127.0.0.1', port: port ?? 0 }, resolve);
  });
  if (socketPath !== undefined) chmodSync(socketPath, 0o600);
  const host = socketPath === undefined ? `127.0.0.1:${(server.address() as AddressInfo).port}` : encodeURIComponent(socketPath);
  return `mongodb://${host}/?${URL_OPTIONS}`;
}
