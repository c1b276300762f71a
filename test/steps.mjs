import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePackages } from '../deploy/quickstart/install.mjs';
import { ensureRawSocket } from '../deploy/quickstart/raw-socket.mjs';
import { nodeVersionError } from '../deploy/command/node-version.mjs';
import { runBundled } from './bundle.mjs';
import { ensureApiTypes } from './console-types.mjs';
import { root } from './root.mjs';

/**
 * @typedef {object} Outcome
 * @property {string} name
 * @property {number} passed
 * @property {number} failed
 * @property {{ title: string, state: string, meta: any }[]} [tests]
 */

export function say(line) {
  process.stdout.write(`${line}\n`);
}

/**
 * Installs everything that tests need from npm; ends the process with a message if that is impossible. `beside` runs once
 * the packages are there, beside the rest.
 */
export async function prepare(beside = async () => undefined) {
  const versionError = nodeVersionError(process.versions.node);
  if (versionError) {
    process.stderr.write(`${versionError}\n`);
    process.exit(1);
  }
  await ensurePackages({ root, production: false, say });
  mkdirSync(join(root, 'node_modules/.cache/farwatch-test'), { recursive: true });
  await Promise.all([beside(), ensureRawSocket({ root, say }), ensureApiTypes()]);
}

/** Finds and installs the servers that tests use, as the product does. */
export async function ensureNats() {
  const { ensureNatsPrograms } = await runBundled('test/helpers/nats-programs.ts');
  await ensureNatsPrograms(say);
}

/** Every step of `npm test` in order, with the seconds it adds to a run on two idle cores. */
export const STEPS = {
  types: 8, 'types of the console': 3, boundaries: 6, unused: 5, 'unused in the product': 4, lint: 15, unit: 50,
  simulation: 22, store: 25, bus: 95, api: 85, faults: 105, e2e: 45,
  diagnosis: 20, browser: 95,
};

/** Of `npm run test:long`, the same. `npm test -- services` runs that step alone. */
export const LONG_STEPS = {
  tests: {
    unit: 80, simulation: 120, store: 120, bus: 160, api: 130, services: 170, browser: 240, faults: 600,
    diagnosis: 240,
  },
  belowPath: { browser: 240 },
  packaging: { packaging: 720 },
};

/** By default, four checkers compute the types that files share four times. */
const TSC = ['../typescript-7/bin/tsc', '--checkers', '1'];

/** Checks that pass or fail as a whole: commands in node_modules/.bin. */
export const CHECKS = {
  types: TSC,
  'types of the console': [...TSC, '--project', 'controller/console/app'],
  boundaries: [
    'depcruise', '--config', '.dependency-cruiser.cjs', 'shared', 'controller', 'probe', 'deploy', 'test',
  ],
  unused: ['knip', ...cached('unused')],
  'unused in the product': [
    'knip', '--production', '--exports', '--files', '--dependencies', ...cached('unused-in-product'),
  ],
  lint: ['oxlint', '-c', 'oxlint.config.js'],
};

/** What knip has read of unchanged files. */
function cached(name) {
  return ['--cache', '--cache-location', join('node_modules/.cache/farwatch-test', name)];
}

/**
 * Runs queues of steps side by side, and the steps of each queue one after another.
 *
 * @param {string[][]} queues
 * @param {import('./progress.mjs').Progress} progress
 * @param {(name: string) => Promise<void> | null} [ready] what a step waits for
 * @returns {Promise<Outcome[]>}
 */
export async function runSteps(queues, progress, ready = () => null) {
  const outcomes = [];
  await Promise.all(queues.map(async (names) => {
    for (const name of names) {
      await ready(name);
      outcomes.push(await (name in CHECKS ? runCheck : runTests)(name, progress));
    }
  }));
  return outcomes;
}

/** Runs one of CHECKS; prints its output if it fails. */
async function runCheck(name, progress) {
  const [program, ...args] = CHECKS[name];
  progress.begin(name);
  const { code, output } = await run(program, args);
  if (code !== 0) progress.say(output.trimEnd());
  progress.end(name, code === 0 ? 'ok' : 'FAIL');
  return { name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
}

/**
 * Runs one of vitest's projects.
 *
 * @param {string} name
 * @param {import('./progress.mjs').Progress} progress
 * @param {{ pattern?: string }} [options] `pattern`: only tests whose title matches
 * @returns {Promise<Outcome>}
 */
export async function runTests(name, progress, { pattern } = {}) {
  // Imported lazily, because `prepare` may just have installed it.
  const [{ startVitest }, { ProgressReporter }] =
    await Promise.all([import('vitest/node'), import('./progress-reporter.mjs')]);
  const reporter = new ProgressReporter(progress, name);
  const options = {
    root, project: [name], watch: false, reporters: [reporter],
    ...(pattern ? { testNamePattern: pattern } : {}),
  };
  const vitest = await startVitest('test', [], options);
  await vitest.close();
  const { passed, failed, tests } = reporter;
  return { name, passed, failed, tests };
}

/**
 * Prints the last line, `N passed, N failed`, and sets the exit code.
 *
 * @param {Outcome[]} outcomes
 */
export function conclude(outcomes) {
  const sum = (key) => outcomes.reduce((total, outcome) => total + outcome[key], 0);
  const failing = outcomes.filter((outcome) => outcome.failed > 0).map((outcome) => outcome.name);
  if (failing.length > 0) say(`failed: ${failing.join(', ')}`);
  say(`${sum('passed')} passed, ${sum('failed')} failed`);
  process.exitCode = failing.length > 0 ? 1 : 0;
}

function run(program, args) {
  return new Promise((resolve, reject) => {
    // Checks written in Go collect no garbage, and use one core, which saves a third of their time together.
    const env = { GOGC: 'off', GOMAXPROCS: '1', ...process.env };
    const child =
      spawn(join(root, 'node_modules/.bin', program), args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
