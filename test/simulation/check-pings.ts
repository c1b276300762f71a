import { SHARD_COUNT, shardOf } from '../../shared/ids.ts';
import type { Reference } from './reference.ts';
import type { World } from './world.ts';

/** Checks that each answered ping is in the journal once, and that none is left in its collection. */
export function checkPings(world: World, references: Reference[]): string[] {
  const said: string[] = [];
  for (let shard = 0; shard < SHARD_COUNT; shard += 1) {
    const { pings } = references[shard] as Reference;
    if (new Set(pings).size !== pings.length) {
      said.push(
        `pings of shard ${shard} are ${pings.length} times in the journal, and are ${new Set(pings).size}`,
      );
    }
  }
  for (const [id, answered] of world.jobs) {
    const heard = (world.db.truth.get(shardOf(id)) ?? []).flatMap((entry) => entry.pings).filter(
      (ping) => ping.monitor_id === id,
    );
    if (heard.length < answered.length) {
      said.push(`${answered.length} pings of ${id} were answered, but ${heard.length} are in the journal`);
    }
    if (answered.length === 0) said.push(`no ping of ${id} was answered`);
  }
  if (world.db.pings.size > 0) said.push(`${world.db.pings.size} pings were never taken`);
  return said;
}
