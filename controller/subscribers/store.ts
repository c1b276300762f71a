import type { Db, Filter } from 'mongodb';
import { searchPattern } from '../../shared/search-text.ts';
import { ownedBy, type Tenant } from '../accounts/tenant.ts';
import { DocumentsById } from '../platform/mongo/documents.ts';
import { restoring } from '../platform/mongo/null-fields.ts';
import type { Preferences, SubscriberDoc, SubscriberState, Topic } from './subscriber.ts';

/** Which subscribers of a page are meant. */
export interface SubscriberFilter {
  status?: SubscriberState | undefined;
  /** Those who have this preference. */
  preference?: Topic | undefined;
  /** Part of the address. */
  search?: string | undefined;
  /** Finds whole addresses and beginnings of domains only, for callers who do not see the addresses. */
  isConcealed?: boolean;
}

export interface SubscriberListing extends SubscriberFilter {
  sort: 'email' | 'subscribed_at' | 'verified_at';
  order: 'asc' | 'desc';
  skip: number;
  limit: number;
}

/** Of a subscriber whose address or preferences a request has given. */
export type Subscription = Pick<SubscriberDoc,
  'webhook_url' | 'language' | 'preferences' | 'verify_hash' | 'verification_expires_at' | 'subscribed_at'
>;

/** Collection `status_page_subscribers`. */
export class SubscriberStore extends DocumentsById<SubscriberDoc> {
  constructor(db: Db) {
    super(db, 'status_page_subscribers', [
      // An address subscribes once to a page; the list by address, and the export.
      { key: { page_id: 1, email: 1 }, name: 'email', unique: true },
      { key: { page_id: 1, subscribed_at: -1, _id: -1 }, name: 'by_subscription' },
      { key: { page_id: 1, verified_at: -1, _id: -1 }, name: 'by_verification' },
      // Those who are told of something, and how many they are.
      { key: { page_id: 1, state: 1, _id: 1 }, name: 'recipients' },
      // Who holds a mailed link.
      { key: { verify_hash: 1 }, name: 'verify_hash' },
      // Removing those who never confirmed.
      { key: { state: 1, verification_expires_at: 1 }, name: 'unconfirmed' },
    ], restoring<SubscriberDoc>({
      webhook_url: null, language: null, verify_hash: null, verification_expires_at: null, verified_at: null,
      unsubscribed_at: null,
    }));
  }

  /** One page of the list, and the number on all pages. */
  async list(tenant: Tenant, pageId: string, listing: SubscriberListing) {
    const { sort, order, skip, limit } = listing;
    const filter = filterOf(tenant, pageId, listing);
    const total = await this.count(filter);
    if (skip >= total) return { subscribers: [], total };
    const direction = order === 'asc' ? 1 : -1;
    const found = this.select(filter).sort({ [sort]: direction, _id: direction }).skip(skip).limit(limit);
    return { total, subscribers: await found.toArray() };
  }

  /** Up to `limit` whose address comes after `email`, by address. */
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

  /** Up to `limit` confirmed ones with one of the preferences whose id comes after `id`, by id. */
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

  /** Who asks again before confirming, or after leaving; false if they are verified by now, or gone. */
  resubscribe(id: string, subscription: Subscription): Promise<boolean> {
    const change = { ...subscription, state: 'unverified' as const, verified_at: null, unsubscribed_at: null };
    return this.update({ _id: id, state: { $ne: 'verified' } }, { $set: change });
  }

  /** The confirmed subscriber, also on a repetition; null if no open mail has this token. */
  async verify(hash: string, now: number): Promise<SubscriberDoc | null> {
    const pending = { verify_hash: hash, verification_expires_at: { $gt: now } };
    const change = { state: 'verified' as const, verified_at: now };
    return (await this.change({ ...pending, state: 'unverified' }, { $set: change })) ?? this.findOne(pending);
  }

  /** The subscriber after the change; null if they are gone. */
  changePreferences(
    id: string, change: { preferences: Preferences; webhook_url?: string | null },
  ): Promise<SubscriberDoc | null> {
    return this.change({ _id: id }, { $set: change });
  }

  /** The subscriber after the change; null if they had left, or are gone. No older link confirms again. */
  unsubscribe(id: string, now: number): Promise<SubscriberDoc | null> {
    return this.change({ _id: id, state: { $ne: 'unsubscribed' } }, { $set: {
      state: 'unsubscribed', unsubscribed_at: now, verify_hash: null, verification_expires_at: null,
    } });
  }

  /** False if they are gone already. */
  deleteOfPage(tenant: Tenant, pageId: string, id: string): Promise<boolean> {
    return this.remove({ ...ownedBy(tenant), page_id: pageId, _id: id });
  }

  /** Without `ids`, all of them. */
  async deleteAllOfPage(tenant: Tenant, pageId: string, ids?: string[]): Promise<void> {
    const some = ids === undefined ? {} : { _id: { $in: ids } };
    await this.all.deleteMany({ ...ownedBy(tenant), page_id: pageId, ...some });
  }

  /** Removes those who have not confirmed in time. */
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

/** Parts of the name before the `@` would tell it letter by letter. */
function matchingConcealed(search: string) {
  if (search.startsWith('@')) return matching(search);
  return search.includes('@') ? search.toLowerCase() : matching(`@${search}`);
}
