import { subscribe } from 'node:diagnostics_channel';
import type { Mongo } from '../../controller/platform/mongo/mongo.ts';
import type { CommandRecord } from './checked-mongo.ts';

const PINGS = 5;
/** For a controller that never becomes idle. */
const MAX_ATTEMPTS = 200;

/**
 * Resolves once a controller has no work left: it sent the database nothing during some pings and a write, which waits
 * for the disk like its own writes. Await this before letting time pass on a busy machine, where the controller's own
 * delay would look like an outage.
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

/** Requests of this process to HTTP servers that have not ended yet. */
export function openRequests(): ReadonlySet<unknown> {
  const open = new Set<unknown>();
  const requestOf = (message: unknown) => (message as { request: unknown }).request;
  subscribe('undici:request:create', (message) => open.add(requestOf(message)));
  for (const end of ['trailers', 'error']) {
    subscribe(`undici:request:${end}`, (message) => open.delete(requestOf(message)));
  }
  return open;
}
