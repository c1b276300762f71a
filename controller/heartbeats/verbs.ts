import { notFound } from '../../shared/errors.ts';
import { newId, shardOf } from '../../shared/ids.ts';
import type { PublicContext } from '../http/route.ts';
import type { HeartbeatLookup, PingRepository, PingSignal } from './ports.ts';

export interface HeartbeatDeps {
  monitors: HeartbeatLookup;
  pings: PingRepository;
  /** Asks the shard's owner to look now; may be lost, the owner also looks by itself. */
  poke(shard: number): void;
  /** A ping may be lost: silence until now says nothing about the heartbeats of this shard. */
  lost(shard: number): void;
}

/**
 * Keeps a ping durably; a monitor that is not active takes none, and nobody is told so. Throws RESOURCE_NOT_FOUND, the same for
 * every token that is no living monitor's.
 */
export async function receivePing(deps: HeartbeatDeps, ctx: PublicContext, token: string, signal: PingSignal): Promise<void> {
  const monitor = await deps.monitors.byToken(token);
  if (monitor === null) throw notFound('Heartbeat');
  if (monitor.status !== 'active') return;
  const shard = shardOf(monitor.id);
  try {
    await deps.pings.insert({ id: newId(ctx.now), shard, monitor_id: monitor.id, revision: monitor.revision, at: ctx.now, ...signal });
  } catch (error) {
    deps.lost(shard);
    throw error;
  }
  deps.poke(shard);
}
