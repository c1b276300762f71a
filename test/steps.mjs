import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePackages } from '../deploy/quickstart/install.mjs';
import { nodeTooOld } from '../deploy/quickstart/node-version.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, 'node_modules/.cache/farwatch-test');

/** Broken files of one project that are worth another run; more are no accident. */
const MOST_REPEATED = 3;

/** @typedef {{ name: string, passed: number, failed: number, broken?: string[], unsteady?: string[] }} Outcome `broken`: files with failures */

export function say(line) {
  process.stdout.write(`${line}\n`);
}

/** Everything that tests need from npm; ends the process with a sentence when that cannot be had. */
export async function prepare() {
  const tooOld = nodeTooOld(process.versions.node);
  if (tooOld) {
    process.stderr.write(`${tooOld}\n`);
    process.exit(1);
  }
  await ensurePackages({ root, production: false, say });
  mkdirSync(cache, { recursive: true });
}

/** Checks that pass or fail as a whole, as commands of node_modules/.bin. */
export const CHECKS = {
  types: ['tsc', '--noEmit'],
  lint: ['eslint', '--cache', '--cache-location', 'node_modules/.cache/eslint/', '.'],
  boundaries: ['depcruise', '--config', '.dependency-cruiser.cjs', 'shared', 'controller', 'probe', 'deploy', 'test'],
};

/**
 * Runs one of CHECKS; what it wrote is shown when it fails.
 *
 * @param {keyof typeof CHECKS} name
 * @returns {Promise<Outcome>}
 */
export async function runCheck(name) {
  const [program, ...args] = CHECKS[name];
  const startedAt = Date.now();
  const { code, output } = await run(program, args, { isQuiet: true });
  if (code !== 0) say(output.trimEnd());
  say(`${code === 0 ? 'ok  ' : 'FAIL'}  ${name} (${seconds(startedAt)})`);
  return { name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
}

/**
 * Runs one of vitest's projects, showing its progress.
 *
 * @param {string} project
 * @param {{ onReport?: (report: any) => void, files?: string[] }} [options] `onReport` gets vitest's own report; `files`: only these
 * @returns {Promise<Outcome>}
 */
export async function runTests(project, { onReport, files = [] } = {}) {
  const report = join(cache, `${project}-${process.pid}.json`);
  const startedAt = Date.now();
  say(`run   ${project}`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { code } = await run('vitest', ['run', '--project', project, '--passWithNoTests', ...reporters, ...files], { isQuiet: false });
  const outcome = { name: project, ...countTests(report, code, onReport) };
  say(`${outcome.failed === 0 ? 'ok  ' : 'FAIL'}  ${project}: ${outcome.passed} passed, ${outcome.failed} failed (${seconds(startedAt)})`);
  return outcome;
}

/**
 * The outcome after each file with failures was run once more by itself. On real servers a crowded machine breaks what nothing
 * is wrong with; a file that passes alone is named as unsteady, and why it was wants to be found out.
 *
 * @param {Outcome} outcome
 * @returns {Promise<Outcome>}
 */
export async function repeatBroken(outcome) {
  const { broken = [] } = outcome;
  if (broken.length === 0 || broken.length > MOST_REPEATED) return outcome;
  const again = await runTests(outcome.name, { files: broken });
  return again.failed === 0 ? { name: outcome.name, passed: outcome.passed + outcome.failed, failed: 0, unsteady: broken } : outcome;
}

/** Tests by vitest's own report. A file that could not be run, or a run that ended badly otherwise, counts as one failure. */
function countTests(report, code, onReport) {
  try {
    const whole = JSON.parse(readFileSync(report, 'utf8'));
    const { numPassedTests, numFailedTests, testResults } = whole;
    onReport?.(whole);
    const brokenFiles = testResults.filter((file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed')).length;
    const failed = numFailedTests + brokenFiles;
    const broken = testResults.filter((file) => file.status === 'failed').map((file) => relative(root, file.name));
    return { passed: numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed, broken };
  } catch {
    return { passed: 0, failed: code === 0 ? 0 : 1 };
  } finally {
    rmSync(report, { force: true });
  }
}

/**
 * The last line, `N passed, N failed`, and the exit code that goes with it.
 *
 * @param {Outcome[]} outcomes
 */
export function conclude(outcomes) {
  const sum = (key) => outcomes.reduce((total, outcome) => total + outcome[key], 0);
  const failing = outcomes.filter((outcome) => outcome.failed > 0).map((outcome) => outcome.name);
  for (const file of outcomes.flatMap((outcome) => outcome.unsteady ?? [])) say(`unsteady: ${file} failed, and passed when it was run again`);
  if (failing.length > 0) say(`failed: ${failing.join(', ')}`);
  say(`${sum('passed')} passed, ${sum('failed')} failed`);
  process.exitCode = failing.length > 0 ? 1 : 0;
}

function run(program, args, { isQuiet }) {
  return new Promise((resolve, reject) => {
    const bin = join(root, 'node_modules/.bin', program);
    const child = spawn(bin, args, { cwd: root, stdio: ['ignore', isQuiet ? 'pipe' : 'inherit', isQuiet ? 'pipe' : 'inherit'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

function seconds(startedAt) {
  return `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
}
