import { MongoError } from 'mongodb';
import type { LogFn } from 'pino';
import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import { isPermanentlyRefused } from './mongo-errors.ts';

/** First and longest silence about refused writes of one kind, which may be repeated every second. */
const FIRST_SILENCE_MS = 60_000;
const MAX_SILENCE_MS = 3_600_000;

/**
 * Notices in the log when the database refuses a write for good. Wherever a failed write is repeated, its
 * error is logged as a warning; a refusal becomes an error, logged at once and then ever less often.
 */
export class RefusedWrites {
  /** Refusals that were logged or kept silent. */
  count = 0;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By message, of which there are few. */
  readonly #silences = new Map<string, { until: number; lengthMs: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** The log with refusals counted, and their warnings turned into errors. */
  wrapLog(log: Log): Log {
    const warn = (...line: Parameters<LogFn>): void => {
      if (!isRefusal(line[0])) return log.warn(...line);
      this.count += 1;
      if (this.#shouldLog(String(line[1]))) log.error({ ...line[0], refused_writes: this.count }, line[1]);
    };
    const error = (...line: Parameters<LogFn>): void => {
      if (isRefusal(line[0])) this.count += 1;
      log.error(...line);
    };
    return Object.assign(Object.create(log) as Log, { warn, error });
  }

  #shouldLog(message: string): boolean {
    const now = this.#clock.monotonic();
    const silence = this.#silences.get(message);
    if (silence && now < silence.until) return false;
    const lengthMs = silence ? Math.min(silence.lengthMs * 2, MAX_SILENCE_MS) : FIRST_SILENCE_MS;
    this.#silences.set(message, { until: now + lengthMs, lengthMs });
    return true;
  }
}

/** A range error alone may come from anywhere. */
function isRefusal(fields: unknown): fields is { err: Error } {
  if (typeof fields !== 'object' || fields === null || !('err' in fields)) return false;
  const { err } = fields;
  return isPermanentlyRefused(err) && (err instanceof MongoError || !(err instanceof RangeError));
}
