import type { Db } from 'mongodb';
import { derivedId } from '../../shared/ids.ts';
import type { Recipient } from '../access/link-tokens.ts';
import { Documents } from '../platform/mongo/documents.ts';

interface SuppressionDoc {
  /** Derived from the organization and the lower-case address. */
  _id: string;
  organization_id: string;
  address: string;
  /** Null after the recipient resumed alerts. */
  stopped_at: number | null;
  /** When the organization's owners were last notified; null if never. */
  notified_at: number | null;
}

const IS_STOPPED = { stopped_at: { $gt: 0 } };

/** Collection `suppressions`: recipients who have ever stopped an organization's alert mails. */
export class SuppressionStore extends Documents<SuppressionDoc> {
  constructor(db: Db) {
    super(db, 'suppressions');
  }

  async isStopped(organizationId: string, address: string): Promise<boolean> {
    return (await this.findOne({ _id: idOf({ organizationId, address }), ...IS_STOPPED })) !== null;
  }

  /** Returns those of `addresses` that are stopped. */
  async stoppedOf(organizationId: string, addresses: string[]): Promise<string[]> {
    if (addresses.length === 0) return [];
    const ids = addresses.map((address) => idOf({ organizationId, address }));
    const found = this.all.find({ _id: { $in: ids }, ...IS_STOPPED });
    const docs = await found.project<{ _id: string }>({ _id: 1 }).toArray();
    const stopped = new Set(docs.map((doc) => doc._id));
    return addresses.filter((_, at) => stopped.has(ids[at] as string));
  }

  /** False if the address was already stopped. */
  async stop(recipient: Recipient, now: number): Promise<boolean> {
    const { organizationId: organization_id, address } = recipient;
    const _id = idOf(recipient);
    const fresh = { _id, organization_id, address, stopped_at: now, notified_at: null };
    if (await this.insertIfFree(fresh)) return true;
    return this.update({ _id, stopped_at: null }, { $set: { stopped_at: now } });
  }

  /** False if the address was not stopped. */
  resume(recipient: Recipient): Promise<boolean> {
    return this.update({ _id: idOf(recipient), ...IS_STOPPED }, { $set: { stopped_at: null } });
  }

  /** True for one caller per `intervalMs`. */
  claimOwnerNotice(recipient: Recipient, now: number, intervalMs: number): Promise<boolean> {
    const isDue = { $or: [{ notified_at: null }, { notified_at: { $lte: now - intervalMs } }] };
    return this.update({ _id: idOf(recipient), ...isDue }, { $set: { notified_at: now } });
  }
}

function idOf({ organizationId, address }: Recipient): string {
  return derivedId('suppression', organizationId, address.toLowerCase());
}
