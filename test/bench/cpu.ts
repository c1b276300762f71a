import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Length of a clock tick, the unit of CPU time in `/proc/<pid>/stat`, in ms. */
const TICK_MS = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/**
 * Total CPU time of these processes, user and system, all threads, in ms. A process that has ended counts 0.
 */
export function cpuMs(pids: number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      continue;
    }
  }
  return ticks * TICK_MS;
}

export interface Memory {
  /** MB of the process's own pages, plus its proportional share of those that several share (PSS). */
  allMb: number;
  /** Those that hold no file's content: without swap, the system can't reclaim them. */
  anonymousMb: number;
}

export function memoryOf(pid: number): Memory {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const mb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)?.[1]) / 1024;
  return { allMb: mb('Pss'), anonymousMb: mb('Pss_Anon') + mb('Pss_Shmem') };
}

/** Voluntary context switches of the process's current threads since each started. */
export function wakeUps(pid: number): number {
  const switches = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
    return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]);
  });
  return switches.reduce((sum, each) => sum + each, 0);
}

/** Pins a command to one core if there are several; does nothing without `taskset`. */
export function pinned(core: number, command: string, args: string[]): [command: string, args: string[]] {
  try {
    execFileSync('taskset', ['-c', String(core), 'true'], { stdio: 'ignore' });
    return ['taskset', ['-c', String(core), command, ...args]];
  } catch {
    return [command, args];
  }
}

/** Pins a running process with all its threads; does nothing without `taskset`. */
export function pin(core: number, pid: number): void {
  try {
    execFileSync('taskset', ['-acp', String(core), String(pid)], { stdio: 'ignore' });
  } catch {
    return;
  }
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}
