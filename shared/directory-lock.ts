import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A running process has locked the directory. */
export class DirectoryInUse extends Error {
  constructor(directory: string, pid: number) {
    super(`${directory} is in use by process ${pid}`);
    this.name = 'DirectoryInUse';
  }
}

const MAX_ATTEMPTS = 5;

/**
 * Locks a directory for this process and returns a function that unlocks it. Takes over the lock of a process
 * that no longer runs. @throws DirectoryInUse
 */
export function lockDirectory(directory: string): () => void {
  const path = join(directory, 'lock');
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (createLock(path)) return () => rmSync(path, { force: true });
    const mark = readMark(path);
    if (mark === null) continue;
    const pid = livingOwner(mark);
    if (pid !== null) throw new DirectoryInUse(directory, pid);
    removeStale(path, mark);
  }
  throw new Error(`${directory} could not be locked`);
}

/** Writes the lock to another file and links it into place, so that no reader sees an empty lock. */
function createLock(path: string): boolean {
  const aside = `${path}.${process.pid}`;
  // A process id alone may be reused by another process.
  writeFileSync(aside, `${process.pid} ${startTime(process.pid)}`, { mode: 0o600 });
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

/** Two processes may find the same stale lock. One that has moved a fresh lock instead restores it. */
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

function readMark(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** The id of the process that wrote the lock; null if that process no longer runs. */
function livingOwner(mark: string): number | null {
  const [pidText, started] = mark.split(' ');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0) return null;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return null;
  }
  const now = startTime(pid);
  return now === '' || now === started ? pid : null;
}

/** Field 22 of /proc/<pid>/stat (proc(5)); `dead` for a zombie, empty without /proc. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? 'dead' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
