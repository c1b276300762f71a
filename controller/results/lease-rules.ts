import { SHARD_COUNT } from '../../shared/ids.ts';

export interface Lease {
  shard: number;
  holder: string;
  /** Unix ms by the holder's clock. */
  expires_at: number;
}

export interface LeasePlan {
  acquire: number[];
  release: number[];
}

/**
 * Which shards a controller should take and give up so that all that live have an even share. `alive` counts the
 * controllers that live, this one included; leases that ran out by `now` are free.
 */
export function planLeases(leases: Lease[], alive: number, holder: string, now: number): LeasePlan {
  const share = Math.ceil(SHARD_COUNT / Math.max(1, alive));
  const holderOf = new Map(leases.filter((lease) => lease.expires_at >= now).map((lease) => [lease.shard, lease.holder]));
  const mine: number[] = [];
  const free: number[] = [];
  for (let shard = 0; shard < SHARD_COUNT; shard += 1) {
    const by = holderOf.get(shard);
    if (by === holder) mine.push(shard);
    else if (by === undefined) free.push(shard);
  }
  return { acquire: free.slice(0, Math.max(0, share - mine.length)), release: mine.slice(share) };
}
