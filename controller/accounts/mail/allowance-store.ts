import type { Db } from 'mongodb';
import { derivedId } from '../../../shared/ids.ts';
import { Documents } from '../../platform/mongo/documents.ts';

const HOUR_MS = 3_600_000;
/** Per purpose and address, no matter who requests the mail. */
const MAILS_PER_HOUR = 5;
/** Logged as the reason when a mail exceeds the allowance. */
export const NO_ALLOWANCE = `the address reached its limit of ${MAILS_PER_HOUR} emails of this kind an hour`;

interface AllowanceDoc {
  _id: string;
  expires_at: number;
  /** Number of mails that an organization has used this hour; absent from the allowances of addresses. */
  used?: number;
}

/**
 * Collection `mail_allowances`: mails counted in this hour, so that nobody can flood a mailbox through us.
 */
export class MailAllowanceStore extends Documents<AllowanceDoc> {
  constructor(db: Db) {
    // Removes documents of past hours.
    super(db, 'mail_allowances', [{ key: { expires_at: 1 }, name: 'by_expiry' }]);
  }

  /** False if the address has no allowance left this hour. Unique ids decide between simultaneous claims. */
  async claim(purpose: string, email: string, now: number): Promise<boolean> {
    await this.all.deleteMany({ expires_at: { $lte: now } });
    const hour = Math.floor(now / HOUR_MS);
    for (let number = 0; number < MAILS_PER_HOUR; number += 1) {
      const id = derivedId('mail', purpose, email, hour, number);
      if (await this.insertIfFree({ _id: id, expires_at: (hour + 1) * HOUR_MS })) return true;
    }
    return false;
  }

  /**
   * Uses one of the `max` mails that an organization may send per clock hour. Returns null if one was left,
   * else the start of the next hour, Unix ms. The update's filter decides between simultaneous requests.
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
