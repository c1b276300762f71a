import { MongoServerError, type Collection, type Db } from 'mongodb';
import { shardName } from '../../../shared/ids.ts';
import type { Lease } from './lease-rules.ts';

interface LeaseDoc {
  _id: string;
  holder: string;
  expires_at: number;
}

/** Prefix of the documents by which controllers show that they are alive. */
const CONTROLLER = 'controller:';

/**
 * Collection `leases`: which controllers are alive, and who has which shard. It makes takeovers quick; the
 * journal makes them safe.
 */
export class LeaseStore {
  readonly #leases: Collection<LeaseDoc>;

  constructor(db: Db) {
    this.#leases = db.collection<LeaseDoc>('leases');
  }

  /** Leases of shards, and how many controllers have shown themselves since `now`, the asker included. */
  async look(holder: string, now: number): Promise<{ leases: Lease[]; alive: number }> {
    const docs = await this.#leases.find({}).limit(1000).toArray();
    const alive = new Set([CONTROLLER + holder]);
    for (const { _id, expires_at } of docs) {
      if (_id.startsWith(CONTROLLER) && expires_at >= now) alive.add(_id);
    }
    const shards = docs.filter(({ _id }) => !_id.startsWith(CONTROLLER));
    const leases = shards.map(({ _id, ...lease }) => ({ shard: Number(_id), ...lease }));
    return { leases, alive: alive.size };
  }

  /** Shows that a controller is alive. */
  async show(holder: string, expiresAt: number): Promise<void> {
    await this.#leases.updateOne(
      { _id: CONTROLLER + holder }, { $set: { holder, expires_at: expiresAt } }, { upsert: true },
    );
  }

  /** True when the shard was free, had run out by `now`, or was ours already. */
  async acquire(shard: number, holder: string, now: number, expiresAt: number): Promise<boolean> {
    const _id = shardName(shard);
    const free = { _id, $or: [{ holder }, { expires_at: { $lt: now } }] };
    try {
      await this.#leases.updateOne(free, { $set: { holder, expires_at: expiresAt } }, { upsert: true });
      return true;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === 11000) return false;
      throw error;
    }
  }

  /**
   * Extends what `show` wrote and the leases that are still ours. True when all of these were there, false
   * when we have never been shown or another controller has taken a shard.
   */
  async renew(shards: number[], holder: string, expiresAt: number): Promise<boolean> {
    const ids = [CONTROLLER + holder, ...shards.map(shardName)];
    const { matchedCount } =
      await this.#leases.updateMany({ _id: { $in: ids }, holder }, { $set: { expires_at: expiresAt } });
    return matchedCount === ids.length;
  }

  async release(shards: number[], holder: string): Promise<void> {
    await this.#leases.deleteMany({ _id: { $in: shards.map(shardName) }, holder });
  }

  /** Removes what `show` wrote. */
  async leave(holder: string): Promise<void> {
    await this.#leases.deleteOne({ _id: CONTROLLER + holder });
  }
}
