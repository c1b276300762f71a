import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runWorker, WorkerLimitExceeded } from '../../../shared/limited-worker.ts';
import { systemClock } from '../../../shared/time.ts';
import { CommandError, EXIT, type DefineCommand } from '../command.ts';
import { printable } from '../output.ts';

const LIMITS = { memoryMb: 1024, timeoutMs: 60_000 };
/** Of an installation without a setting for it, s. */
const MIN_INTERVAL_SECONDS = 30;
const FROM = ['kuma', 'gatus', 'uptimerobot', 'betterstack', 'healthchecks', 'blackbox', 'csv'];

interface Item {
  name: string;
  result: string;
  notes: string[];
}
type Converted = { document: unknown; items: Item[] } | { refused: string };

export const define: DefineCommand = (command, { bundles, output, stderr }) => {
  command.description(
    'Prints a document for farwatch apply, made of a file of another tool, and on standard error what becomes of each item. '
      + 'Needs no installation. The document contains the passwords and tokens of the file.',
  )
    .argument('<from>', FROM.join(', '))
    .argument('<file>', 'a file of that tool');
  return async (from: string, path: string) => {
    if (!FROM.includes(from)) throw new CommandError(`unknown tool ${from}; known are ${FROM.join(', ')}`, EXIT.refused);
    const bytes = await readFile(path).catch((error: Error) => {
      throw new CommandError(`${path}: ${error.message}`, EXIT.refused);
    });
    const request = { from, bytes, minIntervalSeconds: MIN_INTERVAL_SECONDS };
    const converted = await runWorker<Converted>({ file: join(bundles, 'convert.mjs') }, request, LIMITS, systemClock)
      .catch((error: unknown): Converted => {
        if (!(error instanceof WorkerLimitExceeded)) throw error;
        return { refused: `it takes too ${error.limit === 'time' ? 'long' : 'much memory'} to read` };
      });
    if ('refused' in converted) throw new CommandError(`${path}: ${converted.refused}`, EXIT.refused);
    output.json(converted.document);
    stderr.write(reportText(converted.items));
    return EXIT.done;
  };
};

/** A line for each item that is not full, and one with the counts. */
function reportText(items: readonly Item[]): string {
  const lines = items.filter(({ result }) => result !== 'full').map(({ name, result, notes }) => `${result}: ${name}: ${notes.join(' ')}`);
  const counts = ['full', 'partial', 'skipped'].map((kind) => `${items.filter(({ result }) => result === kind).length} ${kind}`);
  return `${[...lines, counts.join(', ')].map(printable).join('\n')}\n`;
}
