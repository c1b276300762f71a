import type { Log } from '../../../shared/log.ts';
import { sleep, type Clock } from '../../../shared/time.ts';
import type { Mongo } from './mongo.ts';

const TRY_EVERY_MS = 1000;
const SAY_WAITING_EVERY_MS = 5000;

/** Resolves once the database answers, however long that takes; says every few seconds, in one line, what it waits for. */
export async function whenMongoAnswers(mongo: Pick<Mongo, 'ping'>, { clock, log }: { clock: Clock; log: Log }): Promise<void> {
  for (let saidAt = -Infinity; ;) {
    try {
      return await mongo.ping();
    } catch (error) {
      if (clock.monotonic() - saidAt >= SAY_WAITING_EVERY_MS) {
        saidAt = clock.monotonic();
        log.warn({ reason: firstLine(error) }, 'waiting for MongoDB');
      }
    }
    await sleep(clock, TRY_EVERY_MS);
  }
}

/** A driver's message may go on for lines; none holds the password of the URL. */
function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n', 1)[0] as string).slice(0, 300);
}
