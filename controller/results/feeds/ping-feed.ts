import type { ActorRef } from '../../../shared/actor/actor-ref.ts';
import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import type { Peers } from '../../work/peers.ts';
import { PeriodicTask } from '../../work/periodic-task.ts';
import type { Shards } from '../shards/shards.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';
import type { ReceivedPing } from '../intake/ping-rules.ts';
import type { ShardMessage } from '../shards/shard-message.ts';

const POLL_INTERVAL_MS = 1000;
/** Interval without heartbeat monitors. */
const IDLE_POLL_INTERVAL_MS = 5000;
/** Pings per poll. */
const BATCH_SIZE = 1000;
/** A ping whose monitor is still unknown after this time is removed, ms. */
const ORPHANED_AFTER_MS = 3_600_000;

/** The collection that holds each ping until it is journaled. */
export interface PingSource {
  /** The oldest pings of these shards. */
  find(shards: number[], limit: number): Promise<(ReceivedPing & { shard: number })[]>;
  remove(ids: string[]): Promise<void>;
}

export interface PingFeedDeps {
  clock: Clock;
  log: Log;
  peers: Peers;
  shards: Pick<Shards, 'get' | 'loaded' | 'interrupted'>;
  source: PingSource;
}

/**
 * Journals pings from their collection, then removes them from it. After a crash they may be in both, and the
 * journal is authoritative.
 */
export function pingFeed(deps: PingFeedDeps): PeriodicTask {
  const { clock, log, shards, peers } = deps;
  return new PeriodicTask({
    clock, intervalMs: POLL_INTERVAL_MS, idleIntervalMs: IDLE_POLL_INTERVAL_MS, peers,
    task: () => takePings(deps),
    onError: (error) => {
      log.warn({ err: error }, 'could not process pings');
      for (const shard of shards.loaded) shards.interrupted(shard);
    },
  });
}

async function takePings({ shards, source, clock }: PingFeedDeps): Promise<boolean | 'idle'> {
  // Bound to the current shard instances: pings read for a shard that is reloaded meanwhile may already be
  // journaled and removed.
  const lives = (await Promise.all(shards.loaded.map((shard) => readLife(shard, shards.get(shard))))).flat();
  if (lives.length === 0) return 'idle';
  await removeJournaled(source, lives);
  const startedAt = clock.now();
  const found = await source.find(lives.map(({ shard }) => shard), BATCH_SIZE);
  const polledAt = found.length < BATCH_SIZE ? startedAt : null;
  const unknownIds = new Set((await Promise.all(lives.map(({ shard, actor }) => {
    const pings = found.filter((ping) => ping.shard === shard);
    return actor.ask<string[]>((respond) => ({ kind: 'pings', pings, polledAt, respond })).catch(() => []);
  }))).flat());
  const orphans = found.filter(({ id, at }) => unknownIds.has(id) && at < startedAt - ORPHANED_AFTER_MS);
  if (orphans.length > 0) await source.remove(orphans.map(({ id }) => id));
  // A new heartbeat's configuration triggers another poll.
  if (found.length === 0 && !lives.some((life) => life.hasHeartbeat)) return 'idle';
  return found.length === BATCH_SIZE;
}

/** The current instance of a shard, with the journaled pings that may still be in their collection. */
interface ShardLife {
  shard: number;
  actor: ActorRef<ShardMessage>;
  journaled: string[];
  hasHeartbeat: boolean;
}

/** Empty if the shard does not respond: it is polled again. */
async function readLife(shard: number, actor: ActorRef<ShardMessage> | undefined): Promise<ShardLife[]> {
  const life = await actor?.ask<ShardLife>((respond) => ({
    kind: 'read',
    read: ({ state: { pings, monitors } }) =>
      respond({ shard, actor, journaled: [...pings.keys()], hasHeartbeat: hasHeartbeat(monitors) }),
  })).catch(() => null);
  return life ? [life] : [];
}

function hasHeartbeat(monitors: ReadonlyMap<string, LiveMonitor>): boolean {
  for (const { state: { config } } of monitors.values()) {
    if (config.type === 'HEARTBEAT' && config.status !== 'deleted') return true;
  }
  return false;
}

async function removeJournaled(
  source: PingSource, lives: Pick<ShardLife, 'actor' | 'journaled'>[],
): Promise<void> {
  const ids = lives.flatMap(({ journaled }) => journaled);
  for (let at = 0; at < ids.length; at += BATCH_SIZE) await source.remove(ids.slice(at, at + BATCH_SIZE));
  for (const { actor, journaled } of lives) {
    if (journaled.length > 0) actor.send({ kind: 'pingsRemoved', ids: journaled });
  }
}
