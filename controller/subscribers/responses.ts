import { z } from 'zod';
import { FREQUENCIES } from './subscriber.ts';

const id = z.uuid();
const instant = z.iso.datetime().nullable();

const preferencesView = z.strictObject({
  critical_incidents: z.boolean(),
  all_incidents: z.boolean(),
  maintenance: z.boolean(),
  frequency: z.enum(FREQUENCIES),
}).meta({ id: 'SubscriberPreferences' });

export const subscriberView = z.strictObject({
  id, status_page_id: id,
  email: z.string().describe('`v…@example.com` for viewers and read keys.'),
  webhook_url: z.string().nullable().describe('`***` for viewers and read keys.'),
  is_verified: z.boolean(),
  verification_expires_at: instant,
  preferences: preferencesView,
  unsubscribed_at: instant,
  subscribed_at: instant,
  verified_at: instant,
}).meta({ id: 'StatusPageSubscriber' });
export type SubscriberView = z.infer<typeof subscriberView>;

export const subscriberListResponse = z.strictObject({
  subscribers: z.array(subscriberView),
  pagination: z.strictObject({
    page: z.int(), limit: z.int(), total_count: z.int(), has_more: z.boolean(),
  }),
});
export const subscriberReadResponse = z.strictObject({ subscriber: subscriberView });
export const subscriberResponse = subscriberReadResponse.extend({ message: z.string() });

const bulkResult = z.strictObject({
  success_count: z.int(),
  failed_count: z.int(),
  errors: z.array(z.strictObject({ subscriber_id: id, error: z.string() })),
});
export type BulkResult = z.infer<typeof bulkResult>;
export const bulkResponse = z.strictObject({ result: bulkResult, message: z.string() });

/** The subscription as shown to the holder of an emailed link. */
export const ownSubscriptionResponse = z.strictObject({
  email: z.string(),
  status_page: z.strictObject({ name: z.string(), subdomain: z.string() }),
  is_subscribed: z.boolean(),
  preferences: preferencesView,
  webhook_url: z.string().nullable(),
});

export const CSV = { contentType: 'text/csv; charset=utf-8' } as const;
