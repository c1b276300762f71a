import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Identifies a process beyond its pid, which may be reused, by its start time. Null if it doesn't exist or is
 * a zombie.
 */
export function processIdentity(pid: number): string | null {
  try {
    return process.platform === 'linux' ? linuxIdentity(pid) : psIdentity(pid);
  } catch {
    return null;
  }
}

function linuxIdentity(pid: number): string | null {
  // proc(5): the name in parentheses is followed by the state; field 22 is the start in ticks since boot.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return null;
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}`;
}

function psIdentity(pid: number): string | null {
  return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
}
