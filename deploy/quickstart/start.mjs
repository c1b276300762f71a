// The entry point of `npm start`. Plain JavaScript without packages: a fresh machine has none yet.
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nodeVersionError } from './node-version.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const isTerminal = Boolean(process.stdout.isTTY);

function say(line) {
  process.stdout.write(isTerminal
    ? `  ${line}\n`
    : `${JSON.stringify({ level: 30, time: Date.now(), name: 'quickstart', msg: line })}\n`);
}

/** Other users of the machine can read a process's arguments, so a token must not stay among them. */
function hideToken() {
  const shown = process.argv.map((argument, at) =>
    process.argv[at - 1] === '--token' ? '***' : argument.replace(/^--token=.*/s, '--token=***'));
  // Setting the title overwrites the arguments in place, where other processes read them.
  if (shown.some((argument, at) => argument !== process.argv[at])) process.title = shown.join(' ');
}

async function start() {
  hideToken();
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
  const rest = process.argv.slice(2);
  const role = ['--probe', '--controller'].find((flag) => rest.includes(flag) && !isFlagValue(rest, flag));
  const { ensurePackages } = await import('./install.mjs');
  const { ensureBundles } = await import('./bundle.mjs');
  const { ensureRawSocket } = await import('./raw-socket.mjs');
  await ensurePackages({ root, production: true, say });
  const [bundles] = await Promise.all([
    ensureBundles({ root, say }), role === '--controller' ? null : ensureRawSocket({ root, say }),
  ]);
  if (role) return runRole(join(bundles, `${role.slice(2)}.mjs`), rest, role);
  const quickstart = await import(pathToFileURL(join(bundles, 'quickstart.mjs')).href);
  return quickstart.main({
    argv: rest, env: process.env, bundles, stdout: process.stdout, stderr: process.stderr,
  });
}

/** Runs a probe or controller in this process with the arguments of its role. */
async function runRole(bundle, argv, role) {
  const at = argv.indexOf(role);
  process.argv = [process.execPath, bundle, ...argv.slice(0, at), ...argv.slice(at + 1)];
  await import(pathToFileURL(bundle).href);
  return null;
}

/** `--controller URL` is a flag of the probe; `--controller` alone is a role. */
function isFlagValue(argv, flag) {
  const next = argv[argv.indexOf(flag) + 1];
  return flag === '--controller' && next !== undefined && !next.startsWith('--');
}

start().then(
  (code) => {
    if (code !== null) process.exit(code);
  },
  (error) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  // Until a role handles signals, the first one ends an ongoing install.
  process.once(signal, () => {
    if (process.listenerCount(signal) === 0) process.exit(130);
  });
}
