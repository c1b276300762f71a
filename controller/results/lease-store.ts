import { MongoServerError, type Collection, type Db } from 'mongodb';
import { shardName } from '../../shared/ids.ts';

export interface Lease {
  shard: number;
  holder: string;
  /** Unix ms by the holder's clock. */
  expires_at: number;
}

export interface LeaseStore {
  all(): Promise<Lease[]>;
  /** True when the shard was free, run out by `now`, or ours already. */
  acquire(shard: number, holder: string, now: number, expiresAt: number): Promise<boolean>;
  /** Extends the leases that are still ours. */
  renew(shards: number[], holder: string, expiresAt: number): Promise<void>;
  release(shards: number[], holder: string): Promise<void>;
}

interface LeaseDoc {
  _id: string;
  holder: string;
  expires_at: number;
}

/** Collection `leases`: which controller has which shard. Makes a takeover quick; the journal makes it right. */
export class MongoLeaseStore implements LeaseStore {
  readonly #leases: Collection<LeaseDoc>;

  constructor(db: Db) {
    this.#leases = db.collection<LeaseDoc>('leases');
  }

  async all(): Promise<Lease[]> {
    const docs = await this.#leases.find({}).toArray();
    return docs.map(({ _id, holder, expires_at }) => ({ shard: Number(_id), holder, expires_at }));
  }

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

  async renew(shards: number[], holder: string, expiresAt: number): Promise<void> {
    await this.#leases.updateMany({ _id: { $in: shards.map(shardName) }, holder }, { $set: { expires_at: expiresAt } });
  }

  async release(shards: number[], holder: string): Promise<void> {
    await this.#leases.deleteMany({ _id: { $in: shards.map(shardName) }, holder });
  }
}
