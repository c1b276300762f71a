import { fnv1a } from './ids.ts';

/** What an installation has that chose nothing else at its first start. */
export const DEFAULT_SHARDS = 16;
export const MAX_SHARDS = 256;

/**
 * How an installation divides its monitors, regions, organizations and destinations into shards. Fixed for
 * its life, because the journal, the leases and every probe's lanes are by shard.
 */
export class ShardMap {
  readonly count: number;
  /** From 0 to `count` - 1. */
  readonly all: readonly number[];

  constructor(count: number) {
    this.count = count;
    this.all = Object.freeze(Array.from({ length: count }, (_, shard) => shard));
  }

  readonly of = (id: string): number => fnv1a(id) % this.count;
}
