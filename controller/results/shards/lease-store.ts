import { MongoServerError, type Collection, type Db } from 'mongodb';
import { shardName } from '../../../shared/ids.ts';
import type { Lease } from './lease-rules.ts';

type LeaseDoc = Omit<Lease, 'shard'> & { _id: string };

/** The fields written by a renewal. */
type Renewal = Required<Omit<Lease, 'shard' | 'holder'>>;

/** Prefix of the documents that announce live controllers. */
const CONTROLLER = 'controller:';
/** Up to 256 shards, and all controllers that were seen and not yet found dead. */
const MAX_LEASES = 1000;

/**
 * Collection `leases`: which controllers are alive, and which shards they own. Leases make takeovers fast;
 * the journal makes them safe.
 */
export class LeaseStore {
  readonly #leases: Collection<LeaseDoc>;

  constructor(db: Db) {
    this.#leases = db.collection<LeaseDoc>('leases');
  }

  /** All leases, including expired ones. */
  async list(): Promise<Lease[]> {
    const docs = await this.#leases.find({}).limit(MAX_LEASES).toArray();
    return docs.map(({ _id, ...lease }) =>
      ({ shard: _id.startsWith(CONTROLLER) ? null : Number(_id), ...lease }));
  }

  /** Announces a live controller. */
  async announce(holder: string, renewal: Renewal): Promise<void> {
    const change = { $set: { holder, ...renewal } };
    await this.#leases.updateOne({ _id: CONTROLLER + holder }, change, { upsert: true });
  }

  /**
   * Takes a shard from the owner of a known lease, or, with null, a shard that is free or already ours. False
   * if the lease has changed since or another controller was faster.
   */
  async acquire(shard: number, holder: string, from: Lease | null, renewedAt: number): Promise<boolean> {
    const change = { $set: { holder, renewed_at: renewedAt } };
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
   * Renews the announcement and the leases that are still ours. False if we are not announced or another
   * controller has taken one of the shards.
   */
  async renew(shards: number[], holder: string, renewal: Renewal): Promise<boolean> {
    const ids = [CONTROLLER + holder, ...shards.map(shardName)];
    const { matchedCount } = await this.#leases.updateMany({ _id: { $in: ids }, holder }, { $set: renewal });
    return matchedCount === ids.length;
  }

  async release(shards: number[], holder: string): Promise<void> {
    await this.#leases.deleteMany({ _id: { $in: shards.map(shardName) }, holder });
  }

  /** Removes the announcement. */
  async leave(holder: string): Promise<void> {
    await this.#leases.deleteOne({ _id: CONTROLLER + holder });
  }

  /** Removes the announcement of a dead controller, unless it was renewed since. */
  async removeDead(dead: Lease): Promise<void> {
    await this.#leases.deleteOne(unchanged(dead));
  }
}

/** Matches an unchanged lease. */
function unchanged({ shard, holder, renewed_at }: Lease): LeaseDoc {
  return { _id: shard === null ? CONTROLLER + holder : shardName(shard), holder, renewed_at };
}
