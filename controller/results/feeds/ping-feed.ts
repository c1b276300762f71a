import type { Actor } from '../../../shared/actor/actor.ts';
import type { Company } from '../../../shared/company.ts';
import type { Log } from '../../../shared/log.ts';
import { Rounds } from '../../../shared/rounds.ts';
import type { Clock } from '../../../shared/time.ts';
import type { Shards } from '../shards/shards.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';
import type { ReceivedPing } from '../intake/ping-rules.ts';
import type { ShardMessage } from '../shards/shard-message.ts';

const LOOK_EVERY_MS = 1000;
/** While there are no heartbeats, which pings would be for. */
const QUIET_MS = 5000;
/** Pings per round. */
const AT_ONCE = 1000;
/** A ping whose monitor is still unknown after this time is removed, ms. */
const ORPHAN_MS = 3_600_000;

/** The collection that holds each ping until the journal has it. */
export interface PingSource {
  /** The oldest pings of these shards. */
  find(shards: number[], limit: number): Promise<(ReceivedPing & { shard: number })[]>;
  remove(ids: string[]): Promise<void>;
}

export interface PingFeedDeps {
  clock: Clock;
  log: Log;
  company: Company;
  shards: Pick<Shards, 'get' | 'states' | 'interrupted'>;
  source: PingSource;
}

/**
 * Brings pings from their collection into the journal, then removes them from the collection. After a crash
 * in between they are in both, and the journal counts.
 */
export function pingFeed(deps: PingFeedDeps): Rounds {
  const { clock, log, shards, company } = deps;
  return new Rounds({
    clock, everyMs: LOOK_EVERY_MS, quietMs: QUIET_MS, company, round: () => takePings(deps),
    onFailed: (error) => {
      log.warn({ err: error }, 'could not process pings');
      for (const shard of shards.states.keys()) shards.interrupted(shard);
    },
  });
}

async function takePings({ shards, source, clock }: PingFeedDeps): Promise<boolean | 'quiet'> {
  // Bound to these lives: pings read for a shard that is then loaded again may be journaled and removed.
  const lives = [...shards.states].flatMap(([shard, { pings, monitors }]) => {
    const actor = shards.get(shard);
    return actor ? [{ shard, actor, journaled: [...pings.keys()], monitors }] : [];
  });
  if (lives.length === 0) return 'quiet';
  await removeJournaled(source, lives);
  const startedAt = clock.now();
  const found = await source.find(lives.map(({ shard }) => shard), AT_ONCE);
  const lookedAt = found.length < AT_ONCE ? startedAt : null;
  const strangers = new Set((await Promise.all(lives.map(({ shard, actor }) => {
    const pings = found.filter((ping) => ping.shard === shard);
    return actor.ask<string[]>((answer) => ({ kind: 'pings', pings, lookedAt, answer })).catch(() => []);
  }))).flat());
  const orphans = found.filter(({ id, at }) => strangers.has(id) && at < startedAt - ORPHAN_MS);
  if (orphans.length > 0) await source.remove(orphans.map(({ id }) => id));
  // A new heartbeat brings another round: its configuration has us look.
  if (found.length === 0 && !lives.some(({ monitors }) => hasHeartbeat(monitors))) return 'quiet';
  return found.length === AT_ONCE;
}

function hasHeartbeat(monitors: ReadonlyMap<string, LiveMonitor>): boolean {
  for (const { state: { config } } of monitors.values()) {
    if (config.type === 'HEARTBEAT' && config.status !== 'deleted') return true;
  }
  return false;
}

async function removeJournaled(
  source: PingSource, lives: { actor: Actor<ShardMessage>; journaled: string[] }[],
): Promise<void> {
  const ids = lives.flatMap(({ journaled }) => journaled);
  for (let at = 0; at < ids.length; at += AT_ONCE) await source.remove(ids.slice(at, at + AT_ONCE));
  for (const { actor, journaled } of lives) {
    if (journaled.length > 0) actor.send({ kind: 'pingsRemoved', ids: journaled });
  }
}
