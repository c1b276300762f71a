import { RAW_DOMAIN, RAW_STREAM, rawConsumer } from '../../shared/contracts/subjects.ts';
import type { SubscriptionView } from './schema.ts';
import { inboxPrefix, readableSubjects, type SubscriptionDoc } from './subscription.ts';

/** Contains everything a NATS client needs except the seed and the address. */
export function viewSubscription(doc: SubscriptionDoc): SubscriptionView {
  const { _id: id, name, organization_id, public_key, created_by, created_at } = doc;
  return {
    id, name, user: public_key, subjects: readableSubjects(organization_id),
    stream: RAW_STREAM, consumer: rawConsumer(id), domain: RAW_DOMAIN, inbox_prefix: inboxPrefix(id),
    created_by, created_at: new Date(created_at).toISOString(),
  };
}
