#!/usr/bin/env node
// The entry point of every command. Plain JavaScript without packages: a fresh checkout has none yet.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nodeVersionError } from './node-version.mjs';

/** These run until they are stopped, and log to standard output. */
const PROCESSES = ['start', 'controller', 'probe'];
const HELP_FLAGS = ['-h', '--help', '-V', '--version'];

const here = dirname(fileURLToPath(import.meta.url));
/** In the package, everything is built and beside this file. */
const isBuilt = existsSync(join(here, 'command.mjs'));
const root = isBuilt ? dirname(here) : dirname(dirname(here));

/** A token, and the address of a database with its password. */
const SECRET_OPTIONS = ['--token', '--to'];

/** Other users of the machine can read a process's arguments, so no secret must stay among them. */
function hideSecrets() {
  const shown = process.argv.map((argument, at) =>
    SECRET_OPTIONS.includes(process.argv[at - 1]) ? '***' : argument.replace(/^(--token|--to)=.*/s, '$1=***'));
  // Setting the title overwrites the arguments in place, where other processes read them.
  if (shown.some((argument, at) => argument !== process.argv[at])) process.title = shown.join(' ');
}

async function run(argv) {
  hideSecrets();
  const versionError = nodeVersionError(process.versions.node);
  if (versionError) {
    process.stderr.write(`${versionError}\n`);
    return 1;
  }
  if (process.platform === 'win32') {
    process.stderr.write(
      'Farwatch runs on Linux and macOS; on Windows, run it in WSL (https://learn.microsoft.com/windows/wsl)\n',
    );
    return 1;
  }
  const bundles = isBuilt ? here : await prepareCheckout(processIn(argv));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { main } = await import(pathToFileURL(join(bundles, 'command.mjs')).href);
  const { env, stdin, stdout, stderr } = process;
  return main({ argv, env, version, bundles, stdin, stdout, stderr });
}

/** The process that a command line starts; null if it is another command. */
function processIn(argv) {
  if (argv.some((argument) => HELP_FLAGS.includes(argument))) return null;
  const name = argv[0] === undefined || argv[0].startsWith('-') ? 'start' : argv[0];
  return PROCESSES.includes(name) ? name : null;
}

/** Installs and builds what a checkout lacks; returns the folder of bundles. */
async function prepareCheckout(processName) {
  const { ensurePackages } = await import('../quickstart/install.mjs');
  const { ensureBundles } = await import('../quickstart/bundle.mjs');
  const { ensureRawSocket } = await import('../quickstart/raw-socket.mjs');
  const say = processName !== null ? sayInLog : (line) => process.stderr.write(`${line}\n`);
  await ensurePackages({ root, production: true, say });
  const sendsPings = processName === 'start' || processName === 'probe';
  const [bundles] = await Promise.all([
    ensureBundles({ root, say }), sendsPings ? ensureRawSocket({ root, say }) : null,
  ]);
  return bundles;
}

function sayInLog(line) {
  process.stdout.write(process.stdout.isTTY
    ? `  ${line}\n`
    : `${JSON.stringify({ level: 30, time: Date.now(), name: 'quickstart', msg: line })}\n`);
}

run(process.argv.slice(2)).then(
  (code) => {
    // A slow reader of a pipe gets everything first.
    if (code !== null) process.stdout.write('', () => process.exit(code));
  },
  (error) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  // Until a command handles signals, the first one ends it.
  process.once(signal, () => {
    if (process.listenerCount(signal) === 0) process.exit(130);
  });
}
