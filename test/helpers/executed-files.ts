import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Session, type Profiler } from 'node:inspector';
import { relative } from 'node:path';
import { root } from '../root.mjs';

/** So many that background work, such as a timer's, is absent from one of them even on a busy machine. */
export const MAX_REPEATS = 20;
const MIN_REPEATS = 3;
const END_OF_RESPONSE = 'http.server.response.finish';

interface PathOptions {
  /** Repeats until at most this many files are left. */
  limit: number;
  isCounted(file: string): boolean;
  /** Waits, outside the measurement, for what a repeat has started. */
  settle?: (() => Promise<unknown>) | undefined;
}

/**
 * The counted files of the product in which a function ran in every repeat of `run`, until this process, which also serves
 * the test's webhooks, had ended its last HTTP response. As paths in the repository.
 */
export async function filesOfPath(
  run: (repeat: number) => Promise<unknown>, { limit, isCounted, settle }: PathOptions,
): Promise<string[]> {
  const session = new Session();
  session.connect();
  const executed = new Set<string>();
  const addExecuted = () => {
    for (const file of filesSinceLast(session)) executed.add(file);
  };
  try {
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    let common: Set<string> | undefined;
    const isEnough = (repeats: number) => repeats >= MIN_REPEATS && (common?.size ?? Infinity) <= limit;
    for (let repeat = 0; repeat < MAX_REPEATS && !isEnough(repeat); repeat += 1) {
      filesSinceLast(session);
      executed.clear();
      subscribe(END_OF_RESPONSE, addExecuted);
      await run(repeat);
      unsubscribe(END_OF_RESPONSE, addExecuted);
      common = new Set([...executed].filter((file) => isCounted(file) && (common?.has(file) ?? true)));
      await settle?.();
    }
    return [...common ?? []].sort();
  } finally {
    unsubscribe(END_OF_RESPONSE, addExecuted);
    session.disconnect();
  }
}

/** What V8 counted since the last call. The modules themselves ran before. */
function filesSinceLast(session: Session): string[] {
  let scripts: Profiler.ScriptCoverage[] = [];
  // Calls back before it returns.
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    scripts = result;
  });
  const executed = scripts.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0));
  const paths = executed.map(({ url }) => relative(root, url.replace(/^file:\/\//, '')));
  return paths.filter((path) => /^(controller|shared)\//.test(path));
}
