import { isoTime } from '../../shared/time.ts';
import type { SubscriberView } from './answers.ts';
import type { SubscriberDoc } from './subscriber.ts';

/** Without anything of the tokens that its mails contain. */
export function viewSubscriber(subscriber: SubscriberDoc): SubscriberView {
  const { _id: id, page_id: status_page_id, email, webhook_url, preferences, state } = subscriber;
  return {
    id, status_page_id, email, webhook_url, is_verified: subscriber.verified_at !== null,
    verification_expires_at: state === 'unverified' ? isoTime(subscriber.verification_expires_at) : null,
    preferences,
    unsubscribed_at: isoTime(subscriber.unsubscribed_at), subscribed_at: isoTime(subscriber.subscribed_at),
    verified_at: isoTime(subscriber.verified_at),
  };
}
