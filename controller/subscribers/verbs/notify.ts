import { derivedId, newId } from '../../../shared/ids.ts';
import { ownedBy } from '../../access/tenant.ts';
import { rateLimitExceeded } from '../../http/limits/rate-limit.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { PageDoc } from '../../status-pages/page.ts';
import { loadPage } from '../../status-pages/verbs/read-pages.ts';
import type { BulkResult } from '../responses.ts';
import type { SubscriberDeps } from '../deps.ts';
import type { NoticeDoc } from '../notice.ts';
import type { BulkNotifyInput } from '../schema.ts';
import type { SubscriberState } from '../subscriber.ts';
import { bulkResult } from './manage.ts';

/** Per page, so that one can't use up the relay or annoy its readers. */
const MESSAGES_PER_HOUR = 20;
/** Per page, for maintenance, which windows announce automatically; further announcements are dropped. */
const ANNOUNCEMENTS_PER_HOUR = 20;

const PROBLEMS: Record<SubscriberState, string | null> = {
  verified: null, unverified: 'The subscriber has not confirmed their address',
  unsubscribed: 'The subscriber has unsubscribed',
};

/**
 * Sends a message to the verified ones among the subscribers, and reports why others didn't get it. Throws
 * RESOURCE_NOT_FOUND, ACCESS_DENIED, RATE_LIMIT_EXCEEDED.
 */
export async function notifySubscribers(
  deps: SubscriberDeps, { tenant, now }: ProjectContext, pageId: string, input: BulkNotifyInput,
): Promise<BulkResult> {
  const { subscribers, notices, rateLimits } = deps;
  await loadPage(deps, tenant, pageId);
  const { subscriber_ids: ids, subject: title, message } = input;
  const found = await subscribers.findAllOfPage(tenant, pageId, ids);
  const states = new Map(found.map(({ _id, state }) => [_id, state]));
  const recipientIds = ids.filter((id) => states.get(id) === 'verified').sort();
  if (recipientIds.length > 0) {
    const freeAt = await rateLimits.take([{ key: `message of ${pageId}`, max: MESSAGES_PER_HOUR }], now);
    if (freeAt !== null) throw rateLimitExceeded(Math.max(1, Math.ceil((freeAt - now) / 1000)));
    const id = newId(now);
    await notices.add([{
      _id: id, ...ownedBy(tenant), page_id: pageId, kind: 'message', topics: [], subscriber_ids: recipientIds,
      thread: id, is_first: true, title, text: message, created_at: now, cursor: '', due_at: now,
    }]);
    deps.triggerSend();
  }
  return bulkResult(ids, (id) => {
    const state = states.get(id);
    return state === undefined ? 'Subscriber not found' : PROBLEMS[state];
  });
}

/** A maintenance notice to subscribers. */
export interface Announcement {
  title: string;
  /** Empty if nobody wrote any. */
  text: string;
  maintenance: NonNullable<NoticeDoc['maintenance']>;
  /** Announcements with the same value form one mail thread. */
  about: string;
  /** The first announcement of its thread. */
  isFirst: boolean;
}

/**
 * Notifies subscribers of published pages with the preference for maintenance. It is stored when this
 * resolves, and sent afterwards. Safe to repeat.
 */
export async function announce(
  { notices, rateLimits, triggerSend }: Pick<SubscriberDeps, 'notices' | 'rateLimits' | 'triggerSend'>, pages: PageDoc[],
  announcement: Announcement, now: number,
): Promise<void> {
  const { title, text, maintenance, about, isFirst } = announcement;
  const notifiedPages: PageDoc[] = [];
  for (const page of pages) {
    if (page.status !== 'published') continue;
    const limit = { key: `maintenance of ${page._id}`, max: ANNOUNCEMENTS_PER_HOUR };
    if (await rateLimits.take([limit], now) === null) notifiedPages.push(page);
  }
  await notices.add(notifiedPages.map(({ _id: page_id, organization_id, project_id }) => ({
    _id: derivedId('announcement', about, maintenance.phase, page_id), organization_id, project_id, page_id,
    kind: 'maintenance', topics: ['maintenance'], thread: about, is_first: isFirst, title, text, maintenance,
    created_at: now, cursor: '', due_at: now,
  })));
  if (notifiedPages.length > 0) triggerSend();
}
