import { MongoServerError, type Collection, type Db } from 'mongodb';
import { shardName } from '../../../shared/ids.ts';
import type { Lease } from './lease-rules.ts';

interface LeaseDoc {
  _id: string;
  holder: string;
  expires_at: number;
  is_cut_off?: boolean;
}

/** What a renewal writes. */
type Renewal = Required<Pick<Lease, 'expires_at' | 'is_cut_off'>>;

/** Prefix of the documents by which controllers show that they are alive. */
const CONTROLLER = 'controller:';
/** 16 shards, and all controllers that were ever seen and not yet found dead. */
const MAX_LEASES = 1000;

/**
 * Collection `leases`: which controllers are alive, and who has which shard. It makes takeovers quick; the
 * journal makes them safe.
 */
export class LeaseStore {
  readonly #leases: Collection<LeaseDoc>;

  constructor(db: Db) {
    this.#leases = db.collection<LeaseDoc>('leases');
  }

  /** All leases, also those that nobody renews any more. */
  async list(): Promise<Lease[]> {
    const docs = await this.#leases.find({}).limit(MAX_LEASES).toArray();
    return docs.map(({ _id, ...lease }) =>
      ({ shard: _id.startsWith(CONTROLLER) ? null : Number(_id), ...lease }));
  }

  /** Shows that a controller is alive. */
  async announce(holder: string, renewal: Renewal): Promise<void> {
    const change = { $set: { holder, ...renewal } };
    await this.#leases.updateOne({ _id: CONTROLLER + holder }, change, { upsert: true });
  }

  /**
   * Takes a shard from a lease that was seen, or with null one that is free or ours already. False when the
   * lease has changed since, or another controller was faster.
   */
  async acquire(shard: number, holder: string, from: Lease | null, expiresAt: number): Promise<boolean> {
    const change = { $set: { holder, expires_at: expiresAt } };
    if (from) return (await this.#leases.updateOne(unchanged(from), change)).matchedCount === 1;
    try {
      await this.#leases.updateOne({ _id: shardName(shard), holder }, change, { upsert: true });
      return true;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === 11000) return false;
      throw error;
    }
  }

  /**
   * Renews what `show` wrote and the leases that are still ours. True when all of these were there, false
   * when we have never been shown or another controller has taken a shard.
   */
  async renew(shards: number[], holder: string, renewal: Renewal): Promise<boolean> {
    const ids = [CONTROLLER + holder, ...shards.map(shardName)];
    const { matchedCount } = await this.#leases.updateMany({ _id: { $in: ids }, holder }, { $set: renewal });
    return matchedCount === ids.length;
  }

  async release(shards: number[], holder: string): Promise<void> {
    await this.#leases.deleteMany({ _id: { $in: shards.map(shardName) }, holder });
  }

  /** Removes what `show` wrote. */
  async leave(holder: string): Promise<void> {
    await this.#leases.deleteOne({ _id: CONTROLLER + holder });
  }

  /** Removes what a controller that was found dead has shown, unless it has renewed it since. */
  async removeDead(dead: Lease): Promise<void> {
    await this.#leases.deleteOne(unchanged(dead));
  }
}

/** Matches a lease as it was seen. */
function unchanged({ shard, holder, expires_at }: Lease): LeaseDoc {
  return { _id: shard === null ? CONTROLLER + holder : shardName(shard), holder, expires_at };
}
