import type { Db } from 'mongodb';
import { derivedId } from '../../../shared/ids.ts';
import { Documents } from '../../platform/mongo/documents.ts';

const HOUR_MS = 3_600_000;
/** Mails of one purpose to one address in an hour, no matter who requests them. */
const MAILS_PER_HOUR = 5;
/** Why a mail beyond them is not sent. */
export const NO_ALLOWANCE = `the address reached its limit of ${MAILS_PER_HOUR} emails of this kind an hour`;

interface AllowanceDoc {
  _id: string;
  expires_at: number;
  /** Of an organization's allowance: how many of this hour are used. */
  used?: number;
}

/** Collection `mail_allowances`: what was used up in this hour, against flooding anybody through us. */
export class MailAllowanceStore extends Documents<AllowanceDoc> {
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

  /**
   * Uses one of the `max` that an organization has in each hour of the clock. Null if one was left; else when
   * the next hour begins, Unix ms. The filter decides between simultaneous requests.
   */
  async useOrganizationAllowance(
    purpose: string, organizationId: string, max: number, now: number,
  ): Promise<number | null> {
    const hour = Math.floor(now / HOUR_MS);
    const _id = derivedId('mails of an organization', purpose, organizationId, hour);
    const expires_at = (hour + 1) * HOUR_MS;
    if (await this.insertIfFree({ _id, expires_at, used: 1 })) return null;
    return (await this.update({ _id, used: { $lt: max } }, { $inc: { used: 1 } })) ? null : expires_at;
  }
}
