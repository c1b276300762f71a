import type { Mongo } from '../../controller/platform/mongo/mongo.ts';
import type { CommandRecord } from './checked-mongo.ts';

const PINGS = 5;
/** Of a controller that is never quiet. */
const MAX_ATTEMPTS = 200;

/**
 * Resolves once a controller has done what was due: it has sent the database nothing during some pings and a
 * write, which waits for the disk like the controller's writes. On a busy machine that takes longer, so a test
 * that lets time pass waits for it: to a controller, its own delay would look like an interruption.
 */
export async function settled(
  { db, ping }: Pick<Mongo, 'db' | 'ping'>, commands: Pick<CommandRecord, 'seen'>,
): Promise<void> {
  const barrier = db.collection<{ _id: string; writes: number }>('test_barrier');
  for (let attempt = 0, before = -1; commands.seen !== before && attempt < MAX_ATTEMPTS; attempt += 1) {
    before = commands.seen;
    for (let pings = 0; pings < PINGS; pings += 1) await ping();
    await barrier.updateOne({ _id: 'barrier' }, { $inc: { writes: 1 } }, { upsert: true });
  }
}
