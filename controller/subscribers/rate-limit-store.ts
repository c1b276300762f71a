import type { Db } from 'mongodb';
import { derivedId } from '../../shared/ids.ts';
import { Documents } from '../platform/mongo/documents.ts';

/** Collection `subscriber_turns`: rate limits that keep people from being flooded through us. */
export class RateLimitStore extends Documents<{ _id: string; expires_at: number }> {
  constructor(db: Db) {
    // For removing expired entries.
    super(db, 'subscriber_turns', [{ key: { expires_at: 1 }, name: 'by_expiry' }]);
  }

  /**
   * Counts one use of `key`, which expires after `periodMs`. False if `limit` is reached. Unique ids settle
   * simultaneous uses.
   */
  async take(key: string, limit: number, periodMs: number, now: number): Promise<boolean> {
    await this.all.deleteMany({ expires_at: { $lte: now } });
    for (let slot = 0; slot < limit; slot += 1) {
      if (await this.insertIfFree({ _id: idOf(key, slot), expires_at: now + periodMs })) return true;
    }
    return false;
  }

  /** Seconds until the next use is allowed, at least 1. */
  async secondsUntilFree(key: string, limit: number, now: number): Promise<number> {
    const ids = Array.from({ length: limit }, (_, slot) => idOf(key, slot));
    const [next] = await this.select({ _id: { $in: ids } }).sort({ expires_at: 1 }).limit(1).toArray();
    return Math.max(1, Math.ceil(((next?.expires_at ?? now) - now) / 1000));
  }
}

function idOf(key: string, slot: number): string {
  return derivedId('subscriber turn', key, slot);
}
