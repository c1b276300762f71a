import {
  chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { StartError } from '../start-error.ts';

/** Maximum length of a socket path: Linux allows 107 bytes, macOS 103. */
const MAX_PATH_BYTES = 100;

const folderNote = z.object({ data_dir: z.string(), folder: z.string() });

/**
 * A folder that no other user can enter, for a socket of this name: `DATA_DIR/run`, or a temporary one if the
 * path would be too long. DATA_DIR records the temporary one for later starts.
 */
export function socketFolder(dataDir: string, name: string, temporaryDirs = [tmpdir(), '/tmp']): string {
  const run = join(dataDir, 'run');
  mkdirSync(run, { recursive: true, mode: 0o700 });
  chmodSync(run, 0o700);
  if (fits(run, name)) return run;
  const note = join(run, 'socket-folder.txt');
  const previous = readNote(note, dataDir);
  if (previous !== null && fits(previous, name) && isPrivate(previous)) return previous;
  // Not XDG_RUNTIME_DIR: it is removed when its user logs out, even from under a running database.
  const prefix = temporaryDirs.map((dir) => join(dir, 'farwatch-')).find((path) => fits(`${path}123456`, name));
  if (prefix === undefined) {
    throw new StartError(`The paths in DATA_DIR and TMPDIR are too long for a database socket; shorten one of them.`);
  }
  const folder = mkdtempSync(prefix);
  writeFileSync(`${note}.tmp`, JSON.stringify({ data_dir: dataDir, folder }), { mode: 0o600 });
  renameSync(`${note}.tmp`, note);
  return folder;
}

/** The path at which a socket of this name is if a start has made it; changes nothing. */
export function existingSocket(dataDir: string, name: string): string | null {
  const run = join(dataDir, 'run');
  const noted = readNote(join(run, 'socket-folder.txt'), dataDir);
  const folders = noted !== null && isPrivate(noted) ? [run, noted] : [run];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

function fits(folder: string, name: string): boolean {
  return Buffer.byteLength(join(folder, name)) <= MAX_PATH_BYTES;
}

/** Also null for a note copied with its data directory: the original may be running. */
function readNote(path: string, dataDir: string): string | null {
  try {
    const { data_dir, folder } = folderNote.parse(JSON.parse(readFileSync(path, 'utf8')));
    return data_dir === dataDir ? folder : null;
  } catch {
    return null;
  }
}

/** Another user may have taken the name after the folder was removed. */
function isPrivate(folder: string): boolean {
  try {
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  } catch {
    return false;
  }
}
