import { z } from 'zod';
import { singleLineText } from '../http/input/text-schemas.ts';

export const subscriptionInput = z.strictObject({ name: singleLineText(100) });
export type SubscriptionInput = z.infer<typeof subscriptionInput>;

export const subscriptionView = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** Name of the NATS user, which is its public key. */
  user: z.string(),
  /** What it may subscribe to, to get results and events as they come. */
  subjects: z.array(z.string()),
  /** The JetStream stream that holds the last hour of results. */
  stream: z.string(),
  /** The subscriber's own pull consumer of the stream. */
  consumer: z.string(),
  /** The JetStream domain in which the client finds both. */
  domain: z.string(),
  /** The client must receive replies under this. */
  inbox_prefix: z.string(),
  /** A user's id. */
  created_by: z.string(),
  /** ISO 8601. */
  created_at: z.string(),
}).meta({ id: 'Subscription' });
export type SubscriptionView = z.infer<typeof subscriptionView>;
