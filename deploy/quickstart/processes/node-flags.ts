import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const QUERY_TIMEOUT_MS = 5000;
const MAX_OUTPUT_BYTES = 4_194_304;

/**
 * Keeps the flags that this version of Node.js knows: it refuses to start with another one, and V8's flags
 * come and go. Asks the program once, which takes it a few milliseconds.
 */
export async function supportedFlags(program: string, flags: readonly string[]): Promise<string[]> {
  const v8Names = await v8Flags(program);
  return flags.filter((flag) => {
    const name = nameOf(flag);
    return process.allowedNodeEnvironmentFlags.has(`--${name}`) || v8Names.has(name);
  });
}

/** Names of V8's flags; none if the program does not tell: all that we pass only save time or memory. */
async function v8Flags(program: string): Promise<Set<string>> {
  const options = { timeout: QUERY_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, env: {} };
  const query = promisify(execFile)(program, ['--v8-options'], options);
  const { stdout } = await query.catch(() => ({ stdout: '' }));
  return new Set([...stdout.matchAll(/^\s+--([\w-]+) \(/gm)].map(([, name]) => nameOf(`--${name}`)));
}

/** `--no-parallel-scavenge` and `--parallel_scavenge=1` are both `parallel-scavenge`. */
function nameOf(flag: string): string {
  return flag.replace(/^--(no-)?/, '').replace(/=.*$/s, '').replaceAll('_', '-');
}
