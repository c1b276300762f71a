import type { Db } from 'mongodb';
import { derivedId } from '../../../shared/ids.ts';
import { Documents } from '../../platform/mongo/documents.ts';

const HOUR_MS = 3_600_000;
/** Mails of one purpose to one address in an hour, no matter who requests them. */
const MAILS_PER_HOUR = 5;

/** Collection `mail_allowances`: a document per mail of this hour, against flooding anybody through us. */
export class MailAllowanceStore extends Documents<{ _id: string; expires_at: number }> {
  constructor(db: Db) {
    // Removing those of past hours.
    super(db, 'mail_allowances', [{ key: { expires_at: 1 }, name: 'by_expiry' }]);
  }

  /** Whether one more mail may go to the address. Unique ids decide between simultaneous claims. */
  async claim(purpose: string, email: string, now: number): Promise<boolean> {
    await this.all.deleteMany({ expires_at: { $lte: now } });
    const hour = Math.floor(now / HOUR_MS);
    for (let place = 0; place < MAILS_PER_HOUR; place += 1) {
      const id = derivedId('mail', purpose, email, hour, place);
      if (await this.insertIfFree({ _id: id, expires_at: (hour + 1) * HOUR_MS })) return true;
    }
    return false;
  }
}
