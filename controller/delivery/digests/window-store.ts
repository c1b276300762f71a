import type { Db } from 'mongodb';
import { derivedId } from '../../../shared/ids.ts';
import { Documents } from '../../platform/mongo/documents.ts';
import type { DigestPlace } from '../delivery.ts';

/** Per organization and address. Further alerts go into digests. */
const MAILS_PER_WINDOW = 60;
const MAIL_WINDOW_MS = 3_600_000;
/** Keeps a mail below 1 MB. Further alerts go into another digest. */
const ALERTS_PER_DIGEST = 500;
/** How long an ended window is kept. */
const RETENTION_MS = 86_400_000;

interface WindowDoc {
  /** Derived from the organization and the lower-case address. */
  _id: string;
  /** Unix ms, an hour after the window's first alert. */
  ends_at: number;
  /** Deliveries that are sent individually, so that a repeated call returns the same. */
  deliveries: string[];
  count: number;
  /** Number of deliveries assigned to digests. */
  digested: number;
}

/** Collection `mail_windows`: how many alert mails each address received in its current window. */
export class MailWindowStore extends Documents<WindowDoc> {
  constructor(db: Db) {
    // Removes old windows.
    super(db, 'mail_windows', [{ key: { ends_at: 1 }, name: 'by_end' }]);
  }

  /** Returns the delivery's digest, or null to send it individually. May be repeated. `now` is Unix ms. */
  async admit(
    { organizationId, address }: { organizationId: string; address: string }, deliveryId: string, now: number,
  ): Promise<DigestPlace | null> {
    const _id = derivedId('mail window', organizationId, address.toLowerCase());
    const isOpen = { ends_at: { $gt: now }, count: { $lt: MAILS_PER_WINDOW } };
    const hasRoom = { deliveries: { $ne: deliveryId }, ...isOpen };
    const entry = { $push: { deliveries: { $each: [deliveryId] } }, $inc: { count: 1 } };
    if (await this.update({ _id, ...hasRoom }, entry)) return null;
    const seen = await this.findOne({ _id });
    if (seen === null || seen.ends_at <= now) {
      if (await this.#startWindow(_id, seen, deliveryId, now)) return null;
      // Another alert started the window at the same time.
      return this.admit({ organizationId, address }, deliveryId, now);
    }
    if (seen.deliveries.includes(deliveryId)) return null;
    const { ends_at } = seen;
    const { digested = 1 } = (await this.change({ _id, ends_at }, { $inc: { digested: 1 } })) ?? {};
    const part = Math.floor((digested - 1) / ALERTS_PER_DIGEST);
    return { digest_id: derivedId('digest', _id, ends_at, part), digest_at: ends_at };
  }

  async #startWindow(_id: string, seen: WindowDoc | null, deliveryId: string, now: number): Promise<boolean> {
    const window = { ends_at: now + MAIL_WINDOW_MS, deliveries: [deliveryId], count: 1, digested: 0 };
    if (seen !== null) return this.update({ _id, ends_at: seen.ends_at }, { $set: window });
    await this.all.deleteMany({ ends_at: { $lte: now - RETENTION_MS } });
    return this.insertIfFree({ _id, ...window });
  }
}
