import { Session, type Profiler } from 'node:inspector';

/**
 * Counts how often the blocks of one source file are entered: calls, turns of loops, branches. The number depends on the
 * input alone, so a test can assert it on any machine. V8 counts only functions that it compiles after `start`.
 */
export class StepCounter {
  readonly #session = new Session();
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
    this.#session.connect();
  }

  static start(file: string): StepCounter {
    const counter = new StepCounter(file);
    counter.#post('Profiler.enable');
    counter.#post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    return counter;
  }

  /** Steps that `work` takes; throws when it takes none, since the file has another name then. */
  count(work: () => void): number {
    this.#take();
    work();
    const steps = this.#take();
    if (steps === 0) throw new Error(`nothing of ${this.#file} was run`);
    return steps;
  }

  stop(): void {
    this.#session.disconnect();
  }

  /** Steps since the last call. */
  #take(): number {
    const { result } = this.#post<Profiler.TakePreciseCoverageReturnType>('Profiler.takePreciseCoverage');
    const ranges = result.filter(({ url }) => url.endsWith(this.#file)).flatMap(({ functions }) => functions).flatMap((one) => one.ranges);
    return ranges.reduce((sum, { count }) => sum + count, 0);
  }

  #post<T>(method: string, params: object = {}): T {
    let answer: unknown;
    this.#session.post(method, params, (error, result) => {
      if (error) throw error;
      answer = result;
    });
    return answer as T;
  }
}
