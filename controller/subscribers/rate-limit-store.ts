import type { Db } from 'mongodb';
import { derivedId } from '../../shared/ids.ts';
import { Documents } from '../platform/mongo/documents.ts';

/** Collection `subscriber_turns`: what may happen only so often, against flooding anybody through us. */
export class RateLimitStore extends Documents<{ _id: string; expires_at: number }> {
  constructor(db: Db) {
    // Removing those of the past.
    super(db, 'subscriber_turns', [{ key: { expires_at: 1 }, name: 'by_expiry' }]);
  }

  /**
   * Takes one of `places` of `what`, which is free again after `forMs`. False if none is free. Unique ids
   * decide between simultaneous claims.
   */
  async take(key: string, limit: number, periodMs: number, now: number): Promise<boolean> {
    await this.all.deleteMany({ expires_at: { $lte: now } });
    for (let slot = 0; slot < limit; slot += 1) {
      if (await this.insertIfFree({ _id: idOf(key, slot), expires_at: now + periodMs })) return true;
    }
    return false;
  }

  /** Seconds until the next of these places is free, at least 1. */
  async secondsUntilFree(key: string, limit: number, now: number): Promise<number> {
    const ids = Array.from({ length: limit }, (_, slot) => idOf(key, slot));
    const [next] = await this.select({ _id: { $in: ids } }).sort({ expires_at: 1 }).limit(1).toArray();
    return Math.max(1, Math.ceil(((next?.expires_at ?? now) - now) / 1000));
  }
}

function idOf(key: string, slot: number): string {
  return derivedId('subscriber turn', key, slot);
}
