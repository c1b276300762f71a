import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Keeps a second server off a directory. A lock whose process is gone is taken over. */
export function lockDirectory(dir: string): () => void {
  const path = join(dir, 'server.lock');
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      const fd = openSync(path, 'wx');
      writeSync(fd, ownMark());
      closeSync(fd);
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const mark = readMark(path);
    if (mark !== null && isAlive(mark)) throw new Error(`the directory ${dir} is in use by process ${mark.split(' ')[0]}`);
    rmSync(path, { force: true });
  }
  throw new Error(`the directory ${dir} could not be locked`);
}

/** Process id and start time: an id alone may have been given to another process since. */
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

/** Field 22 of /proc/<pid>/stat (proc(5)); `dead` when only its parent has not noticed; empty where there is no /proc. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? 'dead' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
