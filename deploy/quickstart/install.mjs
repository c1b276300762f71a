import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withMachineLock } from './machine-lock.mjs';

/**
 * Installs npm packages if one in package-lock.json is missing or has another version. Keeps development
 * packages in a checkout that has any. npm writes `node_modules/.package-lock.json` as the last step of an
 * install, so that file marks a complete one.
 */
export async function ensurePackages({ root, production, say, npm = runNpm }) {
  if (!missingPackage(root, production)) return;
  await withMachineLock('npm', root, async () => {
    const missing = missingPackage(root, production);
    if (!missing) return;
    say(`Installing npm packages (${missing})`);
    const started = Date.now();
    // `npm ci` empties node_modules first, which breaks processes running from it; so use it only if nothing
    // is there.
    const present = installedPackages(root);
    const verb = present ? ['install', '--no-save'] : ['ci'];
    const isDeveloped = !production || Object.values(present ?? {}).some(({ dev }) => dev);
    const kinds = isDeveloped ? '--include=dev' : '--omit=dev';
    await npm([...verb, kinds, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], root);
    say(`Installed npm packages in ${Math.round((Date.now() - started) / 1000)} s`);
  });
}

/** What must be installed, worded for users; null if everything is present. */
export function missingPackage(root, production) {
  const wanted = readPackages(join(root, 'package-lock.json'));
  if (!wanted) {
    throw new Error(
      `${join(root, 'package-lock.json')} could not be read; this checkout of Farwatch is incomplete`,
    );
  }
  const present = installedPackages(root);
  if (!present) return 'none installed yet';
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path || entry.link || (production && entry.dev)) continue;
    const found = present[path];
    if (!found) {
      if (entry.optional || entry.devOptional || entry.peer) continue;
      return `${path.replace(/^node_modules\//, '')} is missing`;
    }
    if (found.version !== entry.version) {
      return `${path.replace(/^node_modules\//, '')} is not ${entry.version}`;
    }
  }
  return null;
}

/** As recorded by npm at the end of its last install; null if there was none. */
function installedPackages(root) {
  return readPackages(join(root, 'node_modules/.package-lock.json'));
}

function readPackages(path) {
  if (!existsSync(path)) return null;
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages ?? null;
  } catch {
    return null;
  }
}

/** Runs the npm that started this process, otherwise the one on the PATH. `options` are those of `spawn`. */
export function runNpm(args, cwd, options = {}) {
  const cli = process.env.npm_execpath;
  const viaNode = cli && /\.[cm]?js$/.test(cli) && /npm/.test(cli);
  const command = viaNode ? process.execPath : 'npm';
  return runQuietly(command, viaNode ? [cli, ...args] : args, { ...options, cwd });
}

/** Runs a command and resolves to its output, or rejects with it on failure. The command dies with us. */
export function runQuietly(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const stopChild = () => child.kill('SIGTERM');
    process.once('exit', stopChild);
    let output = '';
    const keep = (chunk) => {
      output = (output + chunk).slice(-20_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => reject(new Error(`could not run ${command}: ${error.message}`)));
    child.on('close', (code, signal) => {
      process.off('exit', stopChild);
      if (code === 0) return resolve(output);
      const how = signal ?? `exit ${code}`;
      reject(new Error(`${[command, ...args].join(' ')} failed (${how}):\n${output.trim()}`));
    });
  });
}
