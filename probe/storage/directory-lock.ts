import { readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A directory that another living process has in hand. */
export class DirectoryInUse extends Error {
  constructor(directory: string, pid: number) {
    super(`${directory} is in use by process ${pid}`);
    this.name = 'DirectoryInUse';
  }
}

/**
 * Takes a directory for this process alone; returns how to give it back. A lock whose process has ended is taken
 * over: the start time tells a process from a later one with the same number.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, 'lock');
  const own = `${process.pid} ${await startTimeOf(process.pid)}`;
  for (;;) {
    try {
      await writeFile(path, own, { flag: 'wx', mode: 0o600 });
      return () => unlink(path).catch(() => undefined);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const [pid = NaN, startTime] = (await readFile(path, 'utf8').catch(() => '')).split(' ').map(Number);
    if (isAlive(pid) && pid !== process.pid && (await startTimeOf(pid)) === startTime) throw new DirectoryInUse(directory, pid);
    await unlink(path).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Clock ticks since boot at which the process started (proc(5), field 22); 0 where there is no /proc, -1 for a zombie. */
async function startTimeOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? -1 : Number(fields[19] ?? 0);
}
