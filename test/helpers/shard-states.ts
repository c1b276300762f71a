import type { Shards } from '../../controller/results/shards/shards.ts';
import type { ShardState } from '../../controller/results/state/shard-state.ts';

/** The state of a loaded shard, taken out of its mailbox: valid until the shard handles its next message. */
export async function shardState(shards: Pick<Shards, 'get'> | null, shard: number): Promise<ShardState | undefined> {
  return shards?.get(shard)?.ask<ShardState>((respond) => ({ kind: 'read', read: ({ state }) => respond(state) }));
}

/** The states of all loaded shards. */
export async function shardStates(shards: Pick<Shards, 'get' | 'loaded'>): Promise<Map<number, ShardState>> {
  const found = await Promise.all(shards.loaded.map(async (shard) => [shard, await shardState(shards, shard)] as const));
  return new Map(found.flatMap(([shard, state]) => (state ? [[shard, state]] : [])));
}
