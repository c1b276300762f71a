import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { root } from '../root.mjs';

/** So many that background work, such as a timer's, is absent from one of them even on a busy machine. */
export const MAX_REPEATS = 20;
const MIN_REPEATS = 3;

/**
 * The files of the product in which a function ran in every repeat of `run`, as paths in the repository. It repeats until
 * at most `limit` files are left. `settle` waits, outside the measurement, for what a repeat has started.
 */
export async function filesOfPath(
  run: (repeat: number) => Promise<unknown>, limit: number, settle: () => Promise<unknown> = () => Promise.resolve(),
): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    let common: Set<string> | undefined;
    const isEnough = (repeats: number) => repeats >= MIN_REPEATS && (common?.size ?? Infinity) <= limit;
    for (let repeat = 0; repeat < MAX_REPEATS && !isEnough(repeat); repeat += 1) {
      await filesSinceLast(session);
      await run(repeat);
      const executed = await filesSinceLast(session);
      common = new Set([...executed].filter((path) => common?.has(path) ?? true));
      await settle();
    }
    return [...common ?? []].sort();
  } finally {
    session.disconnect();
  }
}

/** What V8 counted since the last call. The modules themselves ran before. */
async function filesSinceLast(session: Session): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const executed = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0));
  const paths = executed.map(({ url }) => relative(root, url.replace(/^file:\/\//, '')));
  return paths.filter((path) => /^(controller|shared)\//.test(path));
}
