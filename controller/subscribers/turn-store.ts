import type { Db } from 'mongodb';
import { derivedId } from '../../shared/ids.ts';
import { Documents } from '../platform/mongo/documents.ts';

/** Collection `subscriber_turns`: what may happen only so often, against flooding anybody through us. */
export class TurnStore extends Documents<{ _id: string; expires_at: number }> {
  constructor(db: Db) {
    // Removing those of the past.
    super(db, 'subscriber_turns', [{ key: { expires_at: 1 }, name: 'by_expiry' }]);
  }

  /**
   * Takes one of `places` of `what`, which is free again after `forMs`. False if none is free. Unique ids
   * decide between simultaneous claims.
   */
  async take(what: string, places: number, forMs: number, now: number): Promise<boolean> {
    await this.all.deleteMany({ expires_at: { $lte: now } });
    for (let place = 0; place < places; place += 1) {
      const _id = derivedId('subscriber turn', what, place);
      if (await this.insertIfFree({ _id, expires_at: now + forMs })) return true;
    }
    return false;
  }
}
