import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Locks a directory against a second server and returns a function that unlocks it. Takes over the lock of a
 * process that is gone. Throws when the directory is in use.
 */
export function lockDirectory(dir: string): () => void {
  const path = join(dir, 'server.lock');
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (createLock(path)) return () => rmSync(path, { force: true });
    const mark = readMark(path);
    if (mark !== null && isAlive(mark)) {
      throw new Error(`the directory ${dir} is in use by process ${mark.split(' ')[0]}`);
    }
    if (mark !== null) removeStale(path, mark);
  }
  throw new Error(`the directory ${dir} could not be locked`);
}

const MAX_ATTEMPTS = 5;

/** Writes the lock to another file and links it into place, so that no reader ever sees an empty one. */
function createLock(path: string): boolean {
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, ownMark());
  try {
    linkSync(aside, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Two servers may find the same stale lock: one that has moved a fresh lock away instead puts it back. */
function removeStale(path: string, mark: string): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
    if (readMark(aside) !== mark) linkSync(aside, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Process id and start time: the id alone may belong to another process by now. */
function ownMark(): string {
  return `${process.pid} ${startTime(process.pid)}`;
}

function readMark(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function isAlive(mark: string): boolean {
  const [pidText, started] = mark.split(' ');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const now = startTime(pid);
  return now === '' || now === started;
}

/** Field 22 of /proc/<pid>/stat (proc(5)); `dead` for a zombie, empty where there is no /proc. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? 'dead' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
