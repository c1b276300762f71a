import type { Db } from 'mongodb';
import { LimitedUses } from '../../platform/mongo/limited-uses.ts';

const HOUR_MS = 3_600_000;
/** Per purpose and address, no matter who requests the mail. */
const MAILS_PER_HOUR = 5;
/** Logged as the reason when a mail exceeds the allowance. */
export const NO_ALLOWANCE = `the address reached its limit of ${MAILS_PER_HOUR} emails of this kind an hour`;

/** Collection `mail_allowances`: mails of this clock hour, so that nobody can flood a mailbox through us. */
export class MailAllowanceStore extends LimitedUses {
  constructor(db: Db) {
    super(db, 'mail_allowances');
  }

  /** False if the address has no allowance left this hour. */
  async claim(purpose: string, email: string, now: number): Promise<boolean> {
    return await this.#takeThisHour(`${purpose} to ${email}`, MAILS_PER_HOUR, now) === null;
  }

  /**
   * Uses one of the `max` mails that an organization may send per clock hour. Returns null if one was left,
   * else the start of the next hour, Unix ms.
   */
  useOrganizationAllowance(
    purpose: string, organizationId: string, max: number, now: number,
  ): Promise<number | null> {
    return this.#takeThisHour(`${purpose} of ${organizationId}`, max, now);
  }

  #takeThisHour(key: string, max: number, now: number): Promise<number | null> {
    const hour = Math.floor(now / HOUR_MS);
    return this.take([{ key: `${hour} ${key}`, max }], now, (hour + 1) * HOUR_MS);
  }
}
