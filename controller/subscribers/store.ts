import type { Db, Filter } from 'mongodb';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { searchPattern } from '../monitors/monitor.ts';
import { DocumentsById, restoring } from '../platform/mongo/documents.ts';
import type { Preferences, SubscriberDoc, SubscriberState, Topic } from './subscriber.ts';

export interface SubscriberFilter {
  status?: SubscriberState | undefined;
  /** Only subscribers with this preference. */
  preference?: Topic | undefined;
  /** Part of the email address. */
  search?: string | undefined;
  /** Matches only whole addresses and starts of domains, for callers who may not see addresses. */
  isConcealed?: boolean;
}

export interface SubscriberListing extends SubscriberFilter {
  sort: 'email' | 'subscribed_at' | 'verified_at';
  order: 'asc' | 'desc';
  skip: number;
  limit: number;
}

/** The fields that a subscription request sets. */
export type Subscription = Pick<SubscriberDoc,
  'webhook_url' | 'language' | 'preferences' | 'verify_hash' | 'verification_expires_at' | 'subscribed_at'
>;

/** Collection `status_page_subscribers`. */
export class SubscriberStore extends DocumentsById<SubscriberDoc> {
  constructor(db: Db) {
    super(db, 'status_page_subscribers', [
      // One subscription per address and page; also sorts the list and the export.
      { key: { page_id: 1, email: 1 }, name: 'email', unique: true },
      { key: { page_id: 1, subscribed_at: -1, _id: -1 }, name: 'by_subscription' },
      { key: { page_id: 1, verified_at: -1, _id: -1 }, name: 'by_verification' },
      // For the recipients of notices and their number.
      { key: { page_id: 1, state: 1, _id: 1 }, name: 'recipients' },
      // Finds the holder of an emailed link.
      { key: { verify_hash: 1 }, name: 'verify_hash' },
      // For removing unconfirmed subscribers.
      { key: { state: 1, verification_expires_at: 1 }, name: 'unconfirmed' },
    ], restoring<SubscriberDoc>({
      webhook_url: null, language: null, verify_hash: null, verification_expires_at: null, verified_at: null,
      unsubscribed_at: null,
    }));
  }

  /** One page of the list, and the total. */
  async list(tenant: Tenant, pageId: string, listing: SubscriberListing) {
    const { sort, order, skip, limit } = listing;
    const filter = filterOf(tenant, pageId, listing);
    const total = await this.count(filter);
    if (skip >= total) return { subscribers: [], total };
    const direction = order === 'asc' ? 1 : -1;
    const found = this.select(filter).sort({ [sort]: direction, _id: direction }).skip(skip).limit(limit);
    return { total, subscribers: await found.toArray() };
  }

  /** Up to `limit` subscribers with addresses after `email`, sorted by address. */
  after(tenant: Tenant, pageId: string, filter: SubscriberFilter, email: string, limit: number) {
    const rest = { ...filterOf(tenant, pageId, filter), email: { $gt: email, ...matching(filter.search) } };
    return this.select(rest as Filter<SubscriberDoc>).sort({ email: 1 }).limit(limit).toArray();
  }

  findOfPage(tenant: Tenant, pageId: string, id: string): Promise<SubscriberDoc | null> {
    return this.findOne({ ...ownedBy(tenant), page_id: pageId, _id: id });
  }

  /** Those of `ids` that belong to the page. */
  async findAllOfPage(tenant: Tenant, pageId: string, ids: string[]): Promise<SubscriberDoc[]> {
    if (ids.length === 0) return [];
    return this.select({ ...ownedBy(tenant), page_id: pageId, _id: { $in: ids } }).toArray();
  }

  findByEmail(pageId: string, email: string): Promise<SubscriberDoc | null> {
    return this.findOne({ page_id: pageId, email });
  }

  /** Up to `limit` verified subscribers with one of the preferences and an id after `id`, sorted by id. */
  listRecipients(pageId: string, topics: Topic[], id: string, limit: number): Promise<SubscriberDoc[]> {
    const topicFilters = topics.map((topic) => ({ [`preferences.${topic}`]: true }));
    const next: Filter<SubscriberDoc> = { page_id: pageId, state: 'verified', _id: { $gt: id }, $or: topicFilters };
    return this.select(next).sort({ _id: 1 }).limit(limit).toArray();
  }

  async verifiedAmong(pageId: string, ids: string[]): Promise<SubscriberDoc[]> {
    if (ids.length === 0) return [];
    return this.select({ page_id: pageId, state: 'verified', _id: { $in: ids } }).toArray();
  }

  countOf(pageId: string): Promise<number> {
    return this.count({ page_id: pageId });
  }

  countVerified(pageId: string): Promise<number> {
    return this.count({ page_id: pageId, state: 'verified' });
  }

  /** Subscribes again before confirmation or after unsubscribing; false if verified by now or deleted. */
  resubscribe(id: string, subscription: Subscription): Promise<boolean> {
    const change = { ...subscription, state: 'unverified' as const, verified_at: null, unsubscribed_at: null };
    return this.update({ _id: id, state: { $ne: 'verified' } }, { $set: change });
  }

  /** The verified subscriber, also on repetition; null if no pending mail has this token. */
  async verify(hash: string, now: number): Promise<SubscriberDoc | null> {
    const pending = { verify_hash: hash, verification_expires_at: { $gt: now } };
    const change = { state: 'verified' as const, verified_at: now };
    return (await this.change({ ...pending, state: 'unverified' }, { $set: change })) ?? this.findOne(pending);
  }

  /** The subscriber after the change; null if deleted. */
  changePreferences(
    id: string, change: { preferences: Preferences; webhook_url?: string | null },
  ): Promise<SubscriberDoc | null> {
    return this.change({ _id: id }, { $set: change });
  }

  /**
   * The subscriber after the change; null if already unsubscribed or deleted. Invalidates earlier
   * confirmation links.
   */
  unsubscribe(id: string, now: number): Promise<SubscriberDoc | null> {
    return this.change({ _id: id, state: { $ne: 'unsubscribed' } }, { $set: {
      state: 'unsubscribed', unsubscribed_at: now, verify_hash: null, verification_expires_at: null,
    } });
  }

  /** False if already deleted. */
  deleteOfPage(tenant: Tenant, pageId: string, id: string): Promise<boolean> {
    return this.remove({ ...ownedBy(tenant), page_id: pageId, _id: id });
  }

  /** Without `ids`, deletes all of them. */
  async deleteAllOfPage(tenant: Tenant, pageId: string, ids?: string[]): Promise<void> {
    const some = ids === undefined ? {} : { _id: { $in: ids } };
    await this.all.deleteMany({ ...ownedBy(tenant), page_id: pageId, ...some });
  }

  /** Removes subscribers who did not confirm before `before`. */
  async removeUnconfirmed(before: number): Promise<void> {
    await this.all.deleteMany({ state: 'unverified', verification_expires_at: { $lte: before } });
  }
}

function filterOf(tenant: Tenant, pageId: string, filter: SubscriberFilter): Filter<SubscriberDoc> {
  const { status, preference, search, isConcealed } = filter;
  return {
    ...ownedBy(tenant), page_id: pageId,
    ...(status === undefined ? {} : { state: status }),
    ...(preference === undefined ? {} : { [`preferences.${preference}`]: true }),
    ...(search === undefined ? {} : { email: (isConcealed ? matchingConcealed : matching)(search) }),
  };
}

function matching(search: string | undefined) {
  return search === undefined ? {} : { $regex: searchPattern(search) };
}

/** Matching parts before the `@` would reveal the address letter by letter. */
function matchingConcealed(search: string) {
  if (search.startsWith('@')) return matching(search);
  return search.includes('@') ? search.toLowerCase() : matching(`@${search}`);
}
