import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_VERSION, newerDataMessage, VERSION_FILE } from '../../shared/version.ts';
import { DirectoryInUse, DirectoryUnusable, lockDirectory, writableDirectory } from '../../shared/directory-lock.ts';
import type { Clock } from '../../shared/time.ts';
import { RunRecords } from './processes/run-records.ts';

const OWN_ROLE = 'quickstart';

export interface DataDir {
  path: string;
  records: RunRecords;
  /** Processes of a killed start that were terminated. */
  reclaimed: readonly string[];
  release(): Promise<void>;
}

/**
 * Claims the data directory for this process and terminates what a killed start left running. Throws
 * DirectoryUnusable if another running start has it, or it cannot be written, or a newer version wrote it.
 */
export async function claimDataDir(path: string, clock: Clock): Promise<DataDir> {
  const real = writableDirectory(path);
  const version = join(real, VERSION_FILE);
  if (existsSync(version) && Number(readFileSync(version, 'utf8')) > DATA_VERSION) {
    throw new DirectoryUnusable(newerDataMessage(real));
  }
  const runDir = join(real, 'run');
  const unlock = await lockDirectory(runDir).catch((error: unknown) => {
    if (!(error instanceof DirectoryInUse)) throw error;
    throw new DirectoryUnusable(
      `Another Farwatch (${error.owner}) is using ${real}. Stop it first, or give this one its own DATA_DIR and PORT.`,
    );
  });
  writeFileSync(version, `${DATA_VERSION}\n`, { mode: 0o600 });
  const records = new RunRecords(runDir);
  records.write(OWN_ROLE, process.pid);
  const reclaimed = await records.reclaim(clock, [OWN_ROLE]);
  return {
    path: real,
    records,
    reclaimed: reclaimed.map((record) => record.role),
    async release() {
      records.clear(OWN_ROLE);
      await unlock();
    },
  };
}
