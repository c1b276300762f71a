import { parseArgs } from 'node:util';
import { ensureNatsPrograms } from '../helpers/nats-programs.ts';
import { runBusFuzz } from './bus/run-bus-fuzz.ts';
import { FUZZED_PARSERS } from './parsers/registry.ts';
import { runParserFuzz } from './parsers/run-parser-fuzz.ts';
import { runFuzz } from './run-fuzz.ts';
import { missingShares } from './shares.ts';

const USAGE = `npm run fuzz -- [--seed N] [--requests N]
or npm run fuzz -- --bus [--seed N] [--messages N]
or npm run fuzz -- --parsers [--seed N] [--inputs N] [--only NAME]`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: {
    seed: { type: 'string' }, requests: { type: 'string' }, bus: { type: 'boolean', default: false },
    messages: { type: 'string' }, parsers: { type: 'boolean', default: false }, inputs: { type: 'string' },
    only: { type: 'string' }, help: { type: 'boolean', default: false },
  } });
  if (values.help) return console.log(USAGE);
  const seed = Number(values.seed ?? 1);
  const requests = Number(values.requests ?? 20_000);
  if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(requests) || requests < 1) throw new Error(USAGE);
  if (values.parsers) return attackParsers(seed, Number(values.inputs ?? 100_000), values.only);
  await ensureNatsPrograms(() => undefined);
  if (values.bus) return attackBus(seed, Number(values.messages ?? 100_000));
  const startedAt = Date.now();
  const report = await runFuzz(seed, requests);
  const faults = [...report.faults, ...missingShares(report)];
  for (const fault of faults) console.log(`FAULT ${fault}`);
  const share = (count: number) => `${count} (${((100 * count) / report.requests).toFixed(0)} %)`;
  console.log(
    `seed ${seed}: ${report.requests} requests in ${((Date.now() - startedAt) / 1000).toFixed(0)} s`,
  );
  console.log(
    `authenticated ${share(report.authenticated)}, succeeded ${share(report.succeeded)}; operations that succeeded ${report.reached} of ${report.operations}`,
  );
  if (report.unreached.length > 0) console.log(`never succeeded: ${report.unreached.join(', ')}`);
  console.log(`responses by status: ${Object.entries(report.statuses)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ')}`);
  console.log(`slowest: ${report.slowest.name} in ${report.slowest.ms} ms; faults: ${faults.length}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

/** Random messages sent as a probe; see BusFuzzReport. */
async function attackBus(seed: number, messages: number): Promise<void> {
  if (!Number.isSafeInteger(messages) || messages < 1) throw new Error(USAGE);
  const startedAt = Date.now();
  const report = await runBusFuzz(seed, messages, (line) => console.log(line));
  for (const fault of report.faults) console.log(`FAULT ${fault}`);
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
  console.log(`seed ${seed}: ${messages} messages, ${report.bytes} bytes, in ${seconds} s`);
  console.log(`dead letters: ${report.letters}; faults: ${report.faults.length}`);
  process.exitCode = report.faults.length === 0 ? 0 : 1;
}

/** Mutated inputs for every parser, or only the one named `only`; see runParserFuzz. */
async function attackParsers(seed: number, inputs: number, only: string | undefined): Promise<void> {
  const parsers = FUZZED_PARSERS.filter(({ name }) => only === undefined || name === only);
  if (!Number.isSafeInteger(inputs) || inputs < 1 || parsers.length === 0) throw new Error(USAGE);
  const startedAt = Date.now();
  const faults: string[] = [];
  for (const parser of parsers) {
    faults.push(...(await runParserFuzz(parser, { seed, inputs }, (line) => console.log(line))));
  }
  for (const fault of faults) console.log(`FAULT ${fault}`);
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
  console.log(`seed ${seed}: ${inputs} inputs for each of ${parsers.length} parsers, in ${seconds} s`);
  console.log(`faults: ${faults.length}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
});
