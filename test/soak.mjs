// `npm run soak [-- --minutes 60] [--seed N]` injects random faults into a whole installation and prints the outcome
// with counts for the invariants of docs/reliability.md. The printed seed repeats the faults and their timing.
import { parseArgs } from 'node:util';
import { say } from './steps.mjs';

const DEFAULT_MINUTES = 60;
/** A test may take two hours. */
const MAX_MINUTES = 100;

const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } });
const minutes = Number(values.minutes ?? DEFAULT_MINUTES);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
if (!(minutes > 0 && minutes <= MAX_MINUTES) || !Number.isSafeInteger(seed)) {
  process.stderr.write(`--minutes takes a number up to ${MAX_MINUTES}, --seed an integer\n`);
  process.exit(2);
}
say(`${minutes} minutes of random faults; seed ${seed}`);
Object.assign(process.env, { FARWATCH_SOAK_MINUTES: String(minutes), FARWATCH_SEED: String(seed) });
process.argv.splice(2, Infinity, 'F48');
await import('./faults.mjs');
