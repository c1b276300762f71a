import { existsSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DEFAULT_DATABASE } from '../../../shared/database.ts';
import type { Environment } from '../../../shared/environment.ts';
import { NODE_VARIABLES, type ProcessSpec } from '../processes/process-spec.ts';
import { findPrograms } from './programs.ts';
import { existingSocket, socketFolder } from './socket-folder.ts';
import { StartError } from '../start-error.ts';

/** Folders in a data directory. It has at most one of them. */
export const DATA_FOLDERS = Object.freeze({ mongod: 'mongod', embedded: 'mongo', restoring: 'mongo.restoring' });
/** In a data directory that `farwatch restore` has filled: the backup's version and moment. */
export const RESTORED_NOTE = 'restored.json';
/** In a data directory whose store `farwatch move` has copied elsewhere: when. */
export const MOVED_NOTE = 'moved.json';
const MONGOD_STOP_TIMEOUT_MS = 2500;
const EMBEDDED_STOP_TIMEOUT_MS = 2000;
/** mongod derives a port from the name of its socket. */
const MONGOD_SOCKET = 'mongodb-27017.sock';
const EMBEDDED_SOCKET = 'mongo.sock';

export interface Database {
  /** Display name. */
  name: string;
  spec: ProcessSpec;
  /** Connection string once the process responds; null before. */
  url(): Promise<string | null>;
}

interface Options {
  dataDir: string;
  bundles: string;
  /** Node flags, for the embedded store. */
  flags: readonly string[];
  env: Environment;
}

/**
 * The MongoDB of an installation without one configured: the one its data directory belongs to, otherwise
 * `mongod` on the PATH, otherwise the embedded store. Neither has passwords, so both listen only on a socket
 * in a folder that no other user can enter.
 */
export async function prepareDatabase(options: Options): Promise<Database> {
  const mongodDir = join(options.dataDir, DATA_FOLDERS.mongod);
  const embeddedDir = join(options.dataDir, DATA_FOLDERS.embedded);
  const reason = whyUnusable(options.dataDir);
  if (reason !== null) throw new StartError(reason);
  const mongod = findPrograms('mongod', options.env)[0];
  if (existsSync(mongodDir) && !mongod) {
    throw new StartError(
      `${options.dataDir} belongs to mongod, which is no longer on the PATH. Install it, or set MONGODB_URL.`,
    );
  }
  return mongod && !existsSync(embeddedDir)
    ? prepareMongod(options, mongod, mongodDir)
    : prepareEmbedded(options, embeddedDir);
}

/** Why the store in a data directory is not that of the installation; null if it is. */
export function whyUnusable(dataDir: string): string | null {
  if (existsSync(join(dataDir, DATA_FOLDERS.restoring))) {
    return `${dataDir} is incomplete: farwatch restore was interrupted. Run it again with the same backup.`;
  }
  const note = join(dataDir, MOVED_NOTE);
  if (!existsSync(note)) return null;
  return `The data in ${dataDir} was moved to another database: set MONGODB_URL. To use it again, delete ${note}.`;
}

export interface RunningDatabase {
  name: 'embedded store' | 'mongod';
  url: string;
}

/** The database that a start has running on this data directory; null if there is none. */
export async function runningDatabase(dataDir: string): Promise<RunningDatabase | null> {
  for (const [name, file] of [['embedded store', EMBEDDED_SOCKET], ['mongod', MONGOD_SOCKET]] as const) {
    const socket = existingSocket(dataDir, file);
    if (socket === null || !(await accepts(socket))) continue;
    return { name, url: `mongodb://${encodeURIComponent(socket)}/${DEFAULT_DATABASE}?directConnection=true&retryWrites=false` };
  }
  return null;
}

function prepareMongod({ dataDir, env }: Options, mongod: string, dir: string): Database {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const socket = join(socketFolder(dataDir, MONGOD_SOCKET), MONGOD_SOCKET);
  // `--nounixsocket` only omits the socket in /tmp (MongoDB manual, mongod, --bind_ip).
  const args = ['--dbpath', dir, '--bind_ip', socket, '--nounixsocket'];
  const spec = {
    role: 'mongod', command: mongod, args, env, hasChannel: false, stopTimeoutMs: MONGOD_STOP_TIMEOUT_MS,
    formatLine: mongodLine,
  };
  const url = `mongodb://${encodeURIComponent(socket)}/${DEFAULT_DATABASE}`;
  return { name: `mongod (${mongod})`, spec, url: async () => ((await accepts(socket)) ? url : null) };
}

function prepareEmbedded({ dataDir, bundles, flags, env }: Options, dir: string): Database {
  const socket = join(socketFolder(dataDir, EMBEDDED_SOCKET), EMBEDDED_SOCKET);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  let url: string | null = null;
  const onLine = (line: string) => {
    url = listeningUrl(line) ?? url;
  };
  const args = [
    ...flags, join(bundles, 'embedded-mongo.mjs'), '--dir', dir, '--socket', socket,
  ];
  const spec = {
    role: 'embedded-mongo', command: process.execPath, args, env: { ...NODE_VARIABLES, ...env },
    hasChannel: true, stopTimeoutMs: EMBEDDED_STOP_TIMEOUT_MS, onLine,
  };
  return { name: 'embedded store', spec, url: async () => url };
}

function listeningUrl(line: string): string | null {
  if (!line.includes('"listening"')) return null;
  try {
    const { url } = JSON.parse(line) as { url?: unknown };
    return typeof url === 'string' ? url : null;
  } catch {
    return null;
  }
}

/** mongod's JSON lines have the message in `msg` and a severity letter in `s`; null below error. */
function mongodLine(line: string): string | null {
  try {
    const { s, msg } = JSON.parse(line) as { s?: string; msg?: string };
    if (s !== 'F' && s !== 'E') return null;
    return JSON.stringify({ level: s === 'F' ? 60 : 50, name: 'mongod', msg: msg ?? line });
  } catch {
    return JSON.stringify({ level: 30, name: 'mongod', msg: line });
  }
}

function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
