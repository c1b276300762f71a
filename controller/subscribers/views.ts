import { canSeeCredentials, type ProjectRole } from '../access/tenant.ts';
import { isoTime } from '../../shared/time.ts';
import type { SubscriberView } from './responses.ts';
import type { SubscriberDoc } from './subscriber.ts';

/** Replaces a webhook URL for callers who may not see it: anyone who knows it can post to it. */
const WITHHELD = '***';

/** Omits all tokens and what `role` may not see. */
export function viewSubscriber(subscriber: SubscriberDoc, role: ProjectRole): SubscriberView {
  const { _id: id, page_id: status_page_id, preferences, state } = subscriber;
  const seesAll = canSeeCredentials(role);
  return {
    id, status_page_id,
    email: seesAll ? subscriber.email : maskAddress(subscriber.email),
    webhook_url: seesAll || subscriber.webhook_url === null ? subscriber.webhook_url : WITHHELD,
    is_verified: subscriber.verified_at !== null,
    verification_expires_at: state === 'unverified' ? isoTime(subscriber.verification_expires_at) : null,
    preferences,
    unsubscribed_at: isoTime(subscriber.unsubscribed_at), subscribed_at: isoTime(subscriber.subscribed_at),
    verified_at: isoTime(subscriber.verified_at),
  };
}

/** `v…@example.com` for `visitor@example.com`. */
function maskAddress(email: string): string {
  const [first = ''] = email;
  return `${first}…${email.slice(email.lastIndexOf('@'))}`;
}
