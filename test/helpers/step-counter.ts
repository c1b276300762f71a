import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector';
import { pathToFileURL } from 'node:url';
import { bundleFile } from '../bundle.mjs';

/**
 * Counts how often blocks of a product file run: calls, iterations, branches. The count depends only on the input, so
 * tests can assert it on any machine. V8 counts only code compiled while counting, so the file is loaded as a separate
 * copy.
 */
export class StepCounter<Exports> {
  readonly exports: Exports;
  readonly #session: Session;
  readonly #url: string;

  private constructor(session: Session, url: string, exports: Exports) {
    this.#session = session;
    this.#url = url;
    this.exports = exports;
  }

  /** `entry` is a path in the repository; `packages`: whether the steps of packages count. */
  static async load<Exports>(
    entry: string, { packages = 'external' }: { packages?: 'external' | 'bundle' } = {},
  ): Promise<StepCounter<Exports>> {
    const session = new Session();
    session.connect();
    post(session, 'Profiler.enable');
    post(session, 'Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    const file = await bundleFile(entry, { packages });
    // A module imported earlier would come from Node's cache, compiled without counting.
    const url = `${pathToFileURL(file).href}?${randomUUID()}`;
    const exports = (await import(/* @vite-ignore */ url)) as Exports;
    rmSync(file);
    return new StepCounter(session, url, exports);
  }

  /** Steps taken by `work`. */
  async count(work: () => void | Promise<void>): Promise<number> {
    this.#take();
    await work();
    return this.#take();
  }

  stop(): void {
    this.#session.disconnect();
  }

  /** Steps since the last call. */
  #take(): number {
    const { result } =
      post<Profiler.TakePreciseCoverageReturnType>(this.#session, 'Profiler.takePreciseCoverage');
    const functions = result.filter(({ url }) => url === this.#url).flatMap((script) => script.functions);
    return functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
  }
}

function post<Result>(session: Session, method: string, params: object = {}): Result {
  let output: unknown;
  session.post(method, params, (error, result) => {
    if (error) throw error;
    output = result;
  });
  return output as Result;
}
