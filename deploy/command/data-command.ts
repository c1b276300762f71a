import type { Counts } from '../data/documents.ts';
import { Refusal } from '../data/documents.ts';
import { StartError } from '../quickstart/start-error.ts';
import { DirectoryUnusable } from '../../shared/directory-lock.ts';
import { CommandError, EXIT } from './command.ts';
import type { Output } from './output.ts';

/** For `--help` of commands that work on the data itself. */
export const DATA_HELP = `
Environment:
  DATA_DIR       the installation's data directory (default: ./data)
  MONGODB_URL    the installation's database, if it is your own MongoDB; or MONGODB_URL_FILE`;

/** A file or directory that this user may not use. */
const NOT_ALLOWED = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENAMETOOLONG']);

/** Gives what the work refuses exit code 2. Any other failure keeps its own. */
export async function orRefuse<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isRefusal = [Refusal, StartError, DirectoryUnusable].some((kind) => error instanceof kind) ||
      NOT_ALLOWED.has(String((error as NodeJS.ErrnoException).code));
    throw isRefusal ? new CommandError((error as Error).message, EXIT.refused) : error;
  }
}

export function printCounts(output: Output, counts: Counts): void {
  const rows = [...counts].filter(([, count]) => count > 0).toSorted(([one], [other]) => one.localeCompare(other, 'en'));
  const total = rows.reduce((sum, [, count]) => sum + count, 0);
  output.table(
    [...rows, ['total', total] as const],
    { COLLECTION: ([name]) => name, DOCUMENTS: ([, count]) => count }, 'no documents',
  );
}
