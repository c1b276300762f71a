import { RAW_DOMAIN, RAW_STREAM, rawConsumer, subjects } from '../../shared/contracts/subjects.ts';
import type { BusUser } from '../platform/bus/identities-port.ts';
import type { SubscriptionView } from './schema.ts';

/** A document of `subscriptions`: an external program that may read an organization's results and events. */
export interface SubscriptionDoc {
  _id: string;
  organization_id: string;
  name: string;
  /** NATS user nkey (U…). Its seed is not stored. */
  public_key: string;
  /** A user's id. */
  created_by: string;
  /** Unix ms. */
  created_at: number;
}

/** Subjects that the organization's subscribers may read. */
export function readableSubjects(organizationId: string): string[] {
  return [subjects.rawOfOrganization(organizationId), subjects.eventsOfOrganization(organizationId)];
}

/** Prefix of the subscriber's inboxes. Nobody else knows the id. */
export function inboxPrefix(subscriptionId: string): string {
  return `_INBOX_${subscriptionId}`;
}

/**
 * The subscriber's NATS user. It may read live results and events of its organization, and fetch and
 * acknowledge the messages of its own consumer on RAW.
 */
export function subscriberUser({ _id: id, organization_id, public_key }: SubscriptionDoc): BusUser {
  const [consumer, api] = [rawConsumer(id), `$JS.${RAW_DOMAIN}.API.CONSUMER`];
  return {
    account: 'SUBSCRIBERS', public_key,
    permissions: {
      publish: {
        allow: [
          `${api}.INFO.${RAW_STREAM}.${consumer}`, `${api}.MSG.NEXT.${RAW_STREAM}.${consumer}`,
          `$JS.ACK.${RAW_STREAM}.${consumer}.>`,
        ],
      },
      subscribe: { allow: [...readableSubjects(organization_id), `${inboxPrefix(id)}.>`] },
    },
  };
}

/** Contains everything a NATS client needs except the seed and the address. */
export function viewSubscription(doc: SubscriptionDoc): SubscriptionView {
  const { _id: id, name, organization_id, public_key, created_by, created_at } = doc;
  return {
    id, name, user: public_key, subjects: readableSubjects(organization_id),
    stream: RAW_STREAM, consumer: rawConsumer(id), domain: RAW_DOMAIN, inbox_prefix: inboxPrefix(id),
    created_by, created_at: new Date(created_at).toISOString(),
  };
}
