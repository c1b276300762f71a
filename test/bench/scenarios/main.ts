import { join } from 'node:path';
import { SCENARIOS } from './catalog/all.ts';
import { runScenarios } from './run.ts';
import { outcomeOf } from './score.ts';
import { table } from './table.ts';

/** Runs the scenarios whose names start with one of `prefixes`, or all. Exits with 1 unless all are right. */
export async function main(prefixes: string[], { outdir, root }: { outdir: string; root: string }): Promise<number> {
  const wanted = SCENARIOS.filter(
    ({ name }) => prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix)),
  );
  if (wanted.length === 0) {
    process.stderr.write(`${prefixes.join(', ')}: no scenario begins so\n`);
    return 2;
  }
  const scores = await runScenarios(wanted, {
    silentListener: join(outdir, 'silent-listener.mjs'), start: join(root, 'deploy/command/farwatch.mjs'),
    say: (line) => void process.stderr.write(`${line}\n`),
  });
  process.stdout.write(table(scores));
  return scores.every((each) => outcomeOf(each) === 'right') ? 0 : 1;
}
