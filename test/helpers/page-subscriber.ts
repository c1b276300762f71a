import { DEFAULT_PREFERENCES, type SubscriberDoc } from '../../controller/subscribers/subscriber.ts';
import { newId } from '../../shared/ids.ts';

export const SUBSCRIBERS = 'status_page_subscribers';

/** A confirmed subscriber as stored by the controller. */
export function pageSubscriber(
  of: { organizationId: string; projectId: string; pageId: string }, email: string,
  change: Partial<SubscriberDoc> = {},
): SubscriberDoc {
  const at = Date.now();
  return {
    _id: newId(at), organization_id: of.organizationId, project_id: of.projectId, page_id: of.pageId, email,
    webhook_url: null, language: null, state: 'verified', preferences: DEFAULT_PREFERENCES, verify_hash: null,
    verification_expires_at: null, subscribed_at: at, verified_at: at, unsubscribed_at: null, ...change,
  };
}
