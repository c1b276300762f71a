import { DEFAULT_SHARDS, ShardMap } from '../../shared/shard-map.ts';

/** Of installations that set nothing. */
export const shardMap = new ShardMap(DEFAULT_SHARDS);
