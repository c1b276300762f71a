import { accessSync, constants, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../shared/time.ts';
import { takeMachineLock } from './machine-lock.mjs';
import { RunRecords } from './processes/run-records.ts';
import { StartError } from './start-error.ts';

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
 * StartError if another running start has it.
 */
export async function claimDataDir(path: string, clock: Clock): Promise<DataDir> {
  const { real, records } = openDataDir(path);
  const lock = await takeMachineLock('data', real);
  const owner = records.living().find((record) => record.role === OWN_ROLE && record.pid !== process.pid);
  if (!lock || owner) {
    const who = owner ? ` (process ${owner.pid})` : '';
    throw new StartError(
      `Another Farwatch${who} is using ${real}. Stop it first, or give this one its own DATA_DIR and PORT.`,
      2,
    );
  }
  records.write(OWN_ROLE, process.pid);
  const reclaimed = await records.reclaim(clock, [OWN_ROLE]);
  return {
    path: real,
    records,
    reclaimed: reclaimed.map((record) => record.role),
    async release() {
      records.clear(OWN_ROLE);
      await lock.release();
    },
  };
}

function openDataDir(path: string): { real: string; records: RunRecords } {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const real = realpathSync(path);
    const records = new RunRecords(join(real, 'run'));
    accessSync(join(real, 'run'), constants.W_OK);
    return { real, records };
  } catch (error) {
    throw new StartError(
      `Farwatch cannot write to its data directory: ${(error as Error).message}. `
        + 'Set DATA_DIR to a directory that this user can write to.',
      2,
    );
  }
}
