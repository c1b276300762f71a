import { createHash } from 'node:crypto';
import {
  accessSync, constants, linkSync, mkdirSync, readlinkSync, realpathSync, renameSync, rmSync, statSync,
} from 'node:fs';
import { createServer, connect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The operator must change something before this process can use the directory. */
export class DirectoryUnusable extends Error {
  override readonly name: string = 'DirectoryUnusable';
}

/** A running process has locked the directory. */
export class DirectoryInUse extends DirectoryUnusable {
  override readonly name = 'DirectoryInUse';
  /** `process 123`, or `another container`. */
  readonly owner: string;

  constructor(directory: string, owner: string) {
    super(`${directory} is in use by ${owner}`);
    this.owner = owner;
  }
}

/** Maximum length of a socket path: Linux allows 107 bytes, macOS 103. */
const MAX_PATH_BYTES = 100;
const MAX_ATTEMPTS = 5;
/** For a stopped process, which still accepts connections. */
const OWNER_TIMEOUT_MS = 1000;

/**
 * Creates a directory that only its owner can enter, unless it exists, and returns its real path.
 * @throws DirectoryUnusable if it cannot be written
 */
export function writableDirectory(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return realpathSync(path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const who = `user ${process.getuid?.()}`;
    const reason: Record<string, string> = {
      EACCES: `belongs to others: ${who} cannot write to it. Change its owner, or set DATA_DIR to another directory`,
      EROFS: 'is on a read-only file system. Mount it writable, or set DATA_DIR to another directory',
      ENOTDIR: 'is not a directory. Set DATA_DIR to another one',
      EEXIST: 'is not a directory. Set DATA_DIR to another one',
    };
    if (!reason[code]) throw error;
    throw new DirectoryUnusable(`${path} ${reason[code]}`);
  }
}

/**
 * Locks a directory for this process, creating it if needed, and resolves to a function that unlocks it. The
 * lock is a listening socket in the directory: it ends with its process however that ends, and other
 * containers with the same volume see it, although they see neither our process id nor our network.
 * @throws DirectoryUnusable
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const path = lockPath(writableDirectory(directory));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const server = await listen(path);
    if (server) return () => new Promise((resolve) => server.close(() => resolve()));
    const owner = await ownerOf(path) ?? await removeStale(path);
    if (owner !== null) throw new DirectoryInUse(directory, owner);
  }
  throw new Error(`${directory} could not be locked`);
}

/** Elsewhere, by the directory's identity, if the path is too long for a socket. */
function lockPath(directory: string): string {
  const path = join(directory, 'lock');
  if (Buffer.byteLength(path) + `.${process.pid}`.length <= MAX_PATH_BYTES) return path;
  const { dev, ino } = statSync(directory);
  return join(tmpdir(), `farwatch-${createHash('sha256').update(`${dev} ${ino}`).digest('hex').slice(0, 16)}`);
}

/** Null if the path exists. */
function listen(path: string): Promise<Server | null> {
  const server = createServer((socket) => socket.on('error', () => undefined).end(`${process.pid} ${namespace()}`));
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen(path, () => {
      server.unref();
      resolve(server);
    });
  });
}

/** The process that listens there; null if none does. */
function ownerOf(path: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, timeout: OWNER_TIMEOUT_MS });
    let text = '';
    const onEnd = (): void => {
      socket.destroy();
      const [pid, space] = text.split(' ');
      resolve(space === namespace() ? `process ${pid}` : text === '' ? 'a process that does not respond' : 'another container');
    };
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).once('end', onEnd).once('timeout', onEnd);
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(null);
      else reject(error);
    });
  });
}

/**
 * Two processes may find the same stale lock. One that has moved a fresh lock instead restores it, and
 * returns its owner.
 */
async function removeStale(path: string): Promise<string | null> {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    const owner = await ownerOf(aside);
    if (owner !== null) linkSync(aside, path);
    return owner;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error;
    return null;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** In which process ids mean the same; empty on systems other than Linux. */
function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
