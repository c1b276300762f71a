import { DEFAULT_SHARDS, ShardMap } from '../../shared/ids.ts';

/** Of installations that set nothing. */
export const shardMap = new ShardMap(DEFAULT_SHARDS);
