import { MongoError } from 'mongodb';
import type { LogFn } from 'pino';
import { backoffMs } from '../../../shared/backoff.ts';
import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import { isPermanentlyRefused } from './mongo-errors.ts';

/** First and maximum log interval for refused writes of one kind, which may repeat every second. */
const SILENCE = { minMs: 60_000, maxMs: 3_600_000 };

/**
 * Detects in the log that the database permanently refuses a write. Failed writes are retried and logged as
 * warnings; a refusal becomes an error, logged at once and then less and less often.
 */
export class RefusedWrites {
  /** All refusals, logged or suppressed. */
  count = 0;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By log message; there are few. */
  readonly #silences = new Map<string, { until: number; lines: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Wraps `log`: counts refusals and raises their warnings to errors. */
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
    const lines = (silence?.lines ?? 0) + 1;
    this.#silences.set(message, { until: now + backoffMs(lines, SILENCE), lines });
    return true;
  }
}

/** A RangeError alone could come from anywhere. */
function isRefusal(fields: unknown): fields is { err: Error } {
  if (typeof fields !== 'object' || fields === null || !('err' in fields)) return false;
  const { err } = fields;
  return isPermanentlyRefused(err) && (err instanceof MongoError || !(err instanceof RangeError));
}
