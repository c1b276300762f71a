import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { sleep, type Clock } from '../../../shared/time.ts';
import { processIdentity } from './process-identity.ts';

const runRecord = z.object({ role: z.string(), pid: z.number().int().positive(), identity: z.string() });
export type RunRecord = z.infer<typeof runRecord>;

const TERM_GRACE_MS = 1500;
const KILL_GRACE_MS = 5000;
const POLL_INTERVAL_MS = 20;

/**
 * `DATA_DIR/run`: one file per process of the installation, so that a start finds the processes of a killed
 * one.
 */
export class RunRecords {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  }

  /** Records a process just started. Does nothing if it has already ended. */
  write(role: string, pid: number): void {
    const identity = processIdentity(pid);
    if (identity === null) return;
    const path = this.#path(role);
    writeFileSync(`${path}.tmp`, JSON.stringify({ role, pid, identity } satisfies RunRecord));
    renameSync(`${path}.tmp`, path);
  }

  clear(role: string): void {
    rmSync(this.#path(role), { force: true });
  }

  /** The recorded processes that are still running. */
  living(): RunRecord[] {
    return readdirSync(this.#dir)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => this.#read(join(this.#dir, name)))
      .filter((record) => processIdentity(record.pid) === record.identity);
  }

  /** Terminates what an earlier start left running (SIGTERM, then SIGKILL) and returns it once it is gone. */
  async reclaim(clock: Clock, except: readonly string[]): Promise<RunRecord[]> {
    const leftovers = this.living().filter((record) => !except.includes(record.role));
    await Promise.all(leftovers.map((record) => endProcess(record, clock)));
    for (const record of leftovers) this.clear(record.role);
    return leftovers;
  }

  #path(role: string): string {
    return join(this.#dir, `${role}.json`);
  }

  #read(path: string): RunRecord[] {
    try {
      return [runRecord.parse(JSON.parse(readFileSync(path, 'utf8')))];
    } catch {
      return [];
    }
  }
}

async function endProcess(record: RunRecord, clock: Clock): Promise<void> {
  for (const [signal, graceMs] of [['SIGTERM', TERM_GRACE_MS], ['SIGKILL', KILL_GRACE_MS]] as const) {
    if (await endedAfter(record, signal, graceMs, clock)) return;
  }
  throw new Error(`${record.role} (process ${record.pid}) from an earlier start does not exit; stop it manually`);
}

async function endedAfter(
  record: RunRecord, signal: 'SIGTERM' | 'SIGKILL', graceMs: number, clock: Clock,
): Promise<boolean> {
  const isGone = () => processIdentity(record.pid) !== record.identity;
  try {
    if (!isGone()) process.kill(record.pid, signal);
  } catch {
    // It ended before the signal.
  }
  const deadline = clock.monotonic() + graceMs;
  while (!isGone() && clock.monotonic() < deadline) await sleep(clock, POLL_INTERVAL_MS);
  return isGone();
}
