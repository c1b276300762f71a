import { z } from 'zod';
import { singleLineText } from '../http/input/validation.ts';

export const subscriptionInput = z.strictObject({ name: singleLineText(100) });
export type SubscriptionInput = z.infer<typeof subscriptionInput>;

export const subscriptionView = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** NATS user name: the public key. */
  user: z.string(),
  /** Subjects on which it receives live results and events. */
  subjects: z.array(z.string()),
  /** The JetStream stream that holds the last hour of results. */
  stream: z.string(),
  /** The subscriber's own pull consumer on the stream. */
  consumer: z.string(),
  /** The JetStream domain of stream and consumer. */
  domain: z.string(),
  /** Inbox prefix that the client must be configured with. */
  inbox_prefix: z.string(),
  /** A user's id. */
  created_by: z.string(),
  /** ISO 8601. */
  created_at: z.string(),
}).meta({ id: 'Subscription' });
export type SubscriptionView = z.infer<typeof subscriptionView>;
