import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const QUERY_TIMEOUT_MS = 5000;
const MAX_OUTPUT_BYTES = 4_194_304;

/**
 * Keeps the flags supported by this version of Node.js, which refuses to start with an unknown one; V8's
 * flags come and go. Runs the program once, which takes a few milliseconds.
 */
export async function supportedFlags(program: string, flags: readonly string[]): Promise<string[]> {
  const v8Names = await v8Flags(program);
  return flags.filter((flag) => {
    const name = nameOf(flag);
    return process.allowedNodeEnvironmentFlags.has(`--${name}`) || v8Names.has(name);
  });
}

/** Names of V8's flags; empty if the program doesn't list them. All flags we pass are only optimizations. */
async function v8Flags(program: string): Promise<Set<string>> {
  const options = { timeout: QUERY_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, env: {} };
  const query = promisify(execFile)(program, ['--v8-options'], options);
  const { stdout } = await query.catch(() => ({ stdout: '' }));
  return new Set([...stdout.matchAll(/^\s+--([\w-]+) \(/gm)].map(([, name]) => nameOf(`--${name}`)));
}

/** `--no-parallel-scavenge` and `--parallel_scavenge=1` both become `parallel-scavenge`. */
function nameOf(flag: string): string {
  return flag.replace(/^--(no-)?/, '').replace(/=.*$/s, '').replaceAll('_', '-');
}
