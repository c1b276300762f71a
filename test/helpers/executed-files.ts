import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { root } from '../root.mjs';

/** So many that background work, such as a timer's, is absent from one of them. */
export const REPEATS = 20;

/**
 * The files of the product in which a function ran in every repeat of `run`, as paths in the repository. `settle` waits,
 * outside the measurement, for what a repeat has started.
 */
export async function filesOfPath(
  run: (repeat: number) => Promise<unknown>, settle: () => Promise<unknown> = () => Promise.resolve(),
): Promise<string[]> {
  let common: Set<string> | undefined;
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    const executed = await executedFiles(() => run(repeat));
    common = new Set([...executed].filter((path) => common?.has(path) ?? true));
    await settle();
  }
  return [...common ?? []].sort();
}

/** What V8 counted while `work` ran. The modules themselves ran before. */
async function executedFiles(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const executed = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0));
    const paths = executed.map(({ url }) => relative(root, url.replace(/^file:\/\//, '')));
    return paths.filter((path) => /^(controller|shared)\//.test(path));
  } finally {
    session.disconnect();
  }
}
