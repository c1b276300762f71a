import { parseArgs } from 'node:util';
import { MUTATIONS, type Mutation } from './mutations.ts';
import { differences, rehearseSeed } from './rehearsal.ts';
import { runSeed, type SeedReport } from './run-seed.ts';
import { SCENARIOS } from './scenarios.ts';

const USAGE = `npm run simulate -- [--seeds N] [--seed S] [--verbose] [--trace <first letters of a monitor's id>] [--mutation <part of its name>]
npm run simulate -- --rehearsal [--seeds N] [--seed S]
npm run simulate -- --scenario <name>
scenarios: ${Object.keys(SCENARIOS).join(', ')}
mutations: ${MUTATIONS.map(({ sentence }) => `\n  ${sentence}`).join('')}`;

/** The protocol rule to remove. Seeds are then expected to fail. */
function mutationOf(part: string | undefined): Partial<Mutation> {
  if (part === undefined) return {};
  const found = MUTATIONS.find(({ sentence }) => sentence.includes(part));
  if (!found) throw new Error(`no mutation contains "${part}"\n${USAGE}`);
  return found;
}

function printResult(name: string, startedAt: number, { violations, seed: _seed, ...figures }: SeedReport): boolean {
  console.log(
    `${name} ${violations.length === 0 ? 'ok' : 'FAILED'} ${Date.now() - startedAt} ms ${JSON.stringify(figures)}`,
  );
  for (const violation of violations.slice(0, 12)) console.log(`  ${violation.slice(0, 600)}`);
  return violations.length === 0;
}

/** Prints what a rehearsal of this seed's history tells differently; false if anything. */
async function isRehearsed(seed: number): Promise<boolean> {
  const found: string[] = [];
  for (const problem of ['stopped', 'cut off'] as const) {
    const world = await rehearseSeed(seed, problem);
    found.push(...differences(world).map((text) => `${problem}: ${text}`));
  }
  console.log(`seed ${seed} ${found.length === 0 ? 'ok' : 'FAILED'}`);
  for (const text of found.slice(0, 12)) console.log(`  ${text}`);
  return found.length === 0;
}

/** Prints the outcome of each seed; exits with 1 if any failed. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: {
    seed: { type: 'string' }, seeds: { type: 'string' }, scenario: { type: 'string' },
    mutation: { type: 'string' }, trace: { type: 'string' },
    rehearsal: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false }, help: { type: 'boolean', default: false },
  } });
  if (values.help) return console.log(USAGE);
  if (values.scenario !== undefined) {
    const run = SCENARIOS[values.scenario];
    if (!run) throw new Error(`no scenario "${values.scenario}"\n${USAGE}`);
    process.exitCode = printResult(values.scenario, Date.now(), await run()) ? 0 : 1;
    return;
  }
  const first = Number(values.seed ?? 1);
  const count = Number(values.seeds ?? (values.seed === undefined ? 100 : 1));
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(count) || count < 1) throw new Error(USAGE);
  const { patch, sentence: _sentence, ...changed } = mutationOf(values.mutation);
  const failed: number[] = [];
  for (let seed = first; seed < first + count; seed += 1) {
    const startedAt = Date.now();
    if (values.rehearsal) {
      if (!(await isRehearsed(seed))) failed.push(seed);
      continue;
    }
    const found = await runSeed({
      ...changed, seed, beforeChecks: patch?.(), logLevel: values.verbose ? 'warn' : 'silent',
      trace: values.trace ?? null,
    });
    if (!printResult(`seed ${seed}`, startedAt, found)) failed.push(seed);
  }
  console.log(
    `${count - failed.length} of ${count} seeds passed${failed.length > 0 ? `; failed: ${failed.join(', ')}` : ''}`,
  );
  process.exitCode = failed.length > 0 ? 1 : 0;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
});
