import type { Db } from 'mongodb';
import { Documents } from '../platform/mongo/documents.ts';

interface FreedSubdomainDoc {
  /** The subdomain. */
  _id: string;
  /** The organization whose page had the subdomain. */
  organization_id: string;
  /** Unix ms. */
  freed_at: number;
}

/** For this time, only the organization that deleted a page may reuse its subdomain. */
const RESERVED_MS = 30 * 86_400_000;

/**
 * Collection `freed_subdomains`: subdomains of deleted pages. Links to a page outlive the page and must not
 * lead to another organization's.
 */
export class FreedSubdomainStore extends Documents<FreedSubdomainDoc> {
  constructor(db: Db) {
    // For removing expired reservations.
    super(db, 'freed_subdomains', [{ key: { freed_at: 1 }, name: 'age' }]);
  }

  async reserve(subdomain: string, organizationId: string, now: number): Promise<void> {
    const reservation = { organization_id: organizationId, freed_at: now };
    await this.all.updateOne({ _id: subdomain }, { $set: reservation }, { upsert: true });
  }

  async isReservedFor(subdomain: string, organizationId: string, now: number): Promise<boolean> {
    const freed_at = { $gt: now - RESERVED_MS };
    return (await this.findOne({ _id: subdomain, organization_id: organizationId, freed_at })) !== null;
  }

  /** Returns those of the subdomains that are reserved for other organizations. */
  async reservedForOthers(subdomains: string[], organizationId: string, now: number): Promise<string[]> {
    if (subdomains.length === 0) return [];
    const filter = { _id: { $in: subdomains }, freed_at: { $gt: now - RESERVED_MS } };
    const found = await this.select(filter).toArray();
    return found.filter((one) => one.organization_id !== organizationId).map(({ _id }) => _id);
  }

  /** Removes up to `limit` expired reservations; returns how many. */
  async removeExpired(now: number, limit: number): Promise<number> {
    const filter = { freed_at: { $lte: now - RESERVED_MS } };
    const expired = this.all.find(filter).sort({ freed_at: 1 }).limit(limit);
    const ids = (await expired.project<{ _id: string }>({ _id: 1 }).toArray()).map((doc) => doc._id);
    if (ids.length > 0) await this.all.deleteMany({ _id: { $in: ids } });
    return ids.length;
  }
}
