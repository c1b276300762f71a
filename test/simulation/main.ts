import { MUTATIONS, type Mutation } from './mutations.ts';
import { runSeed } from './run-seed.ts';

/** `--mutation <part of its sentence>`: the seeds are expected to fail. */
function mutationOf(part: string | null): Partial<Mutation> {
  if (part === null) return {};
  const found = MUTATIONS.find(({ sentence }) => sentence.includes(part));
  if (!found) throw new Error(`no mutation has "${part}"; there are:\n${MUTATIONS.map(({ sentence }) => sentence).join('\n')}`);
  return found;
}

/** `--seeds N [--seed S] [--verbose] [--trace <first letters of a monitor's id>]` */
async function main(args: string[]): Promise<void> {
  const option = (name: string): string | null => {
    const at = args.indexOf(`--${name}`);
    return at === -1 ? null : (args[at + 1] ?? null);
  };
  const first = Number(option('seed') ?? 1);
  const count = Number(option('seeds') ?? (option('seed') === null ? 100 : 1));
  const { patch, sentence: _sentence, ...mutation } = mutationOf(option('mutation'));
  let failed = 0;
  for (let seed = first; seed < first + count; seed += 1) {
    const startedAt = Date.now();
    // The reference reads the journal by the real rules.
    const restore = patch?.();
    const { violations, ...figures } = await runSeed({ ...mutation, beforeChecks: restore, seed, logLevel: args.includes('--verbose') ? 'warn' : 'silent', trace: option('trace') });
    if (violations.length > 0) failed += 1;
    console.log(`seed ${seed} ${violations.length === 0 ? 'ok' : 'FAILED'} ${Date.now() - startedAt} ms ${JSON.stringify(figures)}`);
    for (const violation of violations.slice(0, 12)) console.log(`  ${violation.slice(0, 600)}`);
  }
  console.log(`${count - failed} of ${count} seeds passed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

void main(process.argv.slice(2));
