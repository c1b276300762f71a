import { RAW_STREAM, rawConsumer, RAW_DOMAIN, subjects } from '../../shared/contracts/subjects.ts';
import type { BusUser } from '../platform/bus/identities-port.ts';

/** A document of `subscriptions`: somebody outside who may read an organization's results and events. */
export interface SubscriptionDoc {
  _id: string;
  organization_id: string;
  name: string;
  /** NATS user nkey (U…). Its seed is not stored. */
  public_key: string;
  /** A user. */
  created_by: string;
  /** Unix ms. */
  created_at: number;
}

/** What the subscriber may subscribe to. */
export function readableSubjects(organizationId: string): string[] {
  return [subjects.rawOfOrganization(organizationId), subjects.eventsOfOrganization(organizationId)];
}

/** Under it the subscriber receives replies; nobody else knows the id. */
export function inboxPrefix(subscriptionId: string): string {
  return `_INBOX_${subscriptionId}`;
}

/**
 * The subscriber as a user of NATS: it may read its organization's results and events as they come, and
 * fetch and acknowledge what its own consumer of RAW holds.
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
