import { SHARD_COUNT } from '../../../shared/ids.ts';

export interface Lease {
  /** Null for a lease by which a controller shows that it is alive. */
  shard: number | null;
  holder: string;
  /** Changes with each renewal, and nothing else is read from it: clocks of controllers may differ. */
  expires_at: number;
}

export interface LeaseView {
  /** Those of living controllers, and our own. */
  leases: Lease[];
  /** Controllers that are alive, this one included. */
  alive: number;
  holder: string;
  /** Shards that this controller cannot read. */
  barred: ReadonlySet<number>;
}

interface LeasePlan {
  /** Shards that nobody has and we can read. */
  free: number[];
  /** How many more shards our share has; negative when we have to release some. */
  room: number;
  release: number[];
  /** Shards of our share that other controllers have beyond theirs, and will release. */
  awaited: number;
}

/** Which shards a controller should acquire and release so that all live controllers have an even share. */
export function planLeases({ leases, alive, holder, barred }: LeaseView): LeasePlan {
  const share = Math.ceil(SHARD_COUNT / Math.max(1, alive));
  const holderOf = new Map(leases.map((lease) => [lease.shard, lease.holder]));
  holderOf.delete(null);
  const mine: number[] = [];
  const free: number[] = [];
  const unreadable: number[] = [];
  for (let shard = 0; shard < SHARD_COUNT; shard += 1) {
    const by = holderOf.get(shard);
    if (by === holder) (barred.has(shard) ? unreadable : mine).push(shard);
    else if (by === undefined && !barred.has(shard)) free.push(shard);
  }
  const room = share - mine.length;
  const counts = new Map<string, number>();
  for (const by of holderOf.values()) if (by !== holder) counts.set(by, (counts.get(by) ?? 0) + 1);
  const excess = [...counts.values()].reduce((sum, count) => sum + Math.max(0, count - share), 0);
  return {
    free, room, release: [...mine.slice(share), ...unreadable],
    awaited: Math.max(0, Math.min(room - free.length, excess)),
  };
}
