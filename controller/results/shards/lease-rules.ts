export interface Lease {
  /** Null for the lease that announces a live controller. */
  shard: number | null;
  holder: string;
  /**
   * Unix ms by the holder's clock; changes with each renewal. Only changes matter, because the clocks of
   * controllers may differ.
   */
  renewed_at: number;
  /** How long after a renewal the next one is due, ms. */
  renew_interval_ms?: number;
  /** True if the controller cannot reach the bus, and so receives no results. */
  is_cut_off?: boolean;
  /** Of one start of the controller. Two that alternate are two controllers with the same id. */
  life?: string;
  version?: string;
}

export interface LeaseView {
  /** Leases of live controllers, including our own. */
  leases: Lease[];
  holder: string;
  shardCount: number;
  /** Whether this controller cannot reach the bus. */
  isCutOff: boolean;
  /** Shards that this controller cannot read. */
  barred: ReadonlySet<number>;
}

interface LeasePlan {
  /** Number of live controllers, including this one. */
  alive: number;
  /** Readable shards without an owner that receives their results. */
  free: number[];
  /** How many more shards belong to our share; negative if some must be released. */
  room: number;
  release: number[];
  /** Shards of our share that other controllers hold beyond theirs, and will release. */
  awaited: number;
}

/**
 * Plans which shards to acquire and release, so that all live controllers have an even share. Controllers
 * that cannot reach the bus keep shards only until others take them, and have no share unless it is down for
 * all.
 */
export function planLeases({ leases, holder, shardCount, isCutOff, barred }: LeaseView): LeasePlan {
  const controllers = leases.filter((lease) => lease.shard === null && lease.holder !== holder);
  const alive = new Set([holder, ...controllers.map((other) => other.holder)]);
  const cutOff = new Set(controllers.filter((other) => other.is_cut_off).map((other) => other.holder));
  if (isCutOff) cutOff.add(holder);
  if (cutOff.size === alive.size) cutOff.clear();
  const isSharing = !cutOff.has(holder);
  const share = isSharing ? Math.ceil(shardCount / (alive.size - cutOff.size)) : 0;
  const taken = leases.filter((lease) => !isSharing || !cutOff.has(lease.holder));
  const holderOf = new Map(taken.map((lease) => [lease.shard, lease.holder]));
  holderOf.delete(null);
  const mine: number[] = [];
  const free: number[] = [];
  const unreadable: number[] = [];
  for (let shard = 0; shard < shardCount; shard += 1) {
    const by = holderOf.get(shard);
    if (by === holder) (barred.has(shard) ? unreadable : mine).push(shard);
    else if (by === undefined && !barred.has(shard)) free.push(shard);
  }
  const room = share - mine.length;
  const counts = new Map<string, number>();
  for (const by of holderOf.values()) if (by !== holder) counts.set(by, (counts.get(by) ?? 0) + 1);
  const excess = [...counts.values()].reduce((sum, count) => sum + Math.max(0, count - share), 0);
  return {
    alive: alive.size, free, room, release: [...(isSharing ? mine.slice(share) : []), ...unreadable],
    awaited: Math.max(0, Math.min(room - free.length, excess)),
  };
}
