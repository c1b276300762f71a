import PQueue from 'p-queue';
import { runWorker, WorkerLimitExceeded } from '../../shared/limited-worker.ts';
import type { Clock } from '../../shared/time.ts';
import { AppError } from '../errors/app-error.ts';
import { validationError } from '../http/input/validation.ts';
import type { Converted } from './conversion.ts';
import type { ConversionRequest } from './convert-file.ts';

/** Of one conversion. */
const LIMITS = { memoryMb: 512, timeoutMs: 20_000 };

/** Converts files in workers, one at a time, so that a hostile file costs one worker and its deadline. */
export class FileConverter {
  readonly #bundle: string | undefined;
  readonly #clock: Clock;
  readonly #queue = new PQueue({ concurrency: 1 });

  /** `bundle`: convert-worker.ts as one file; without it, nothing can be converted. */
  constructor(bundle: string | undefined, clock: Clock) {
    this.#bundle = bundle;
    this.#clock = clock;
  }

  /** Throws VALIDATION_ERROR for a file that cannot be converted. */
  async convert(request: ConversionRequest): Promise<Converted> {
    const file = this.#bundle;
    if (file === undefined) throw new AppError('SERVICE_UNAVAILABLE', 'The converters were not built');
    const work = () => runWorker<Converted | { refused: string }>({ file }, request, LIMITS, this.#clock);
    const result = await this.#queue.add(work).catch((error: unknown) => {
      if (!(error instanceof WorkerLimitExceeded)) throw error;
      return { refused: `The file takes too ${error.limit === 'time' ? 'long' : 'much memory'} to read` };
    });
    if (!('refused' in result)) return result;
    throw validationError([{ code: 'custom', path: [], message: result.refused }]);
  }
}
