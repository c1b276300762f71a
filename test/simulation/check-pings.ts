import type { Reference } from './reference.ts';
import type { World } from './world.ts';
import { shardMap } from '../helpers/shard-map.ts';

/** Checks that each acknowledged ping is journaled once, and that none is left in its collection. */
export function checkPings(world: World, references: Reference[]): string[] {
  const violations: string[] = [];
  for (const shard of shardMap.all) {
    const { pings } = references[shard] as Reference;
    if (new Set(pings).size !== pings.length) {
      violations.push(
        `pings of shard ${shard} are ${pings.length} times in the journal, and are ${new Set(pings).size}`,
      );
    }
  }
  for (const [id, responded] of world.jobs) {
    const journaled = (world.db.truth.get(shardMap.of(id)) ?? []).flatMap((entry) => entry.pings).filter(
      (ping) => ping.monitor_id === id,
    );
    if (journaled.length < responded.length) {
      violations.push(`${responded.length} pings of ${id} got a response, but ${journaled.length} are in the journal`);
    }
    if (responded.length === 0) violations.push(`no ping of ${id} got a response`);
  }
  if (world.db.pings.size > 0) violations.push(`${world.db.pings.size} pings were never taken`);
  return violations;
}
