import { SHARD_COUNT } from '../../../shared/ids.ts';

export interface Lease {
  shard: number;
  holder: string;
  /** Unix ms by the holder's clock. */
  expires_at: number;
}

export interface LeaseView {
  leases: Lease[];
  /** Controllers that are alive, this one included. */
  alive: number;
  holder: string;
  /** Leases that have expired by then are free. Unix ms. */
  now: number;
  /** Shards that this controller cannot read. */
  barred: ReadonlySet<number>;
}

interface LeasePlan {
  acquire: number[];
  release: number[];
  /** Shards of our share that other controllers have beyond theirs, and will release. */
  awaited: number;
}

/** Which shards a controller should acquire and release so that all live controllers have an even share. */
export function planLeases({ leases, alive, holder, now, barred }: LeaseView): LeasePlan {
  const share = Math.ceil(SHARD_COUNT / Math.max(1, alive));
  const holderOf =
    new Map(leases.filter((lease) => lease.expires_at >= now).map((lease) => [lease.shard, lease.holder]));
  const mine: number[] = [];
  const free: number[] = [];
  const unreadable: number[] = [];
  for (let shard = 0; shard < SHARD_COUNT; shard += 1) {
    const by = holderOf.get(shard);
    if (by === holder) (barred.has(shard) ? unreadable : mine).push(shard);
    else if (by === undefined && !barred.has(shard)) free.push(shard);
  }
  const acquire = free.slice(0, Math.max(0, share - mine.length));
  const counts = new Map<string, number>();
  for (const by of holderOf.values()) if (by !== holder) counts.set(by, (counts.get(by) ?? 0) + 1);
  const excess = [...counts.values()].reduce((sum, count) => sum + Math.max(0, count - share), 0);
  return {
    acquire, release: [...mine.slice(share), ...unreadable],
    awaited: Math.max(0, Math.min(share - mine.length - acquire.length, excess)),
  };
}
