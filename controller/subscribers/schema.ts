import { z } from 'zod';
import { ADDRESS, addressProblem } from '../destinations/email-rules.ts';
import {
  queryInt, readOnlyFields, uuidParam, requiredMultilineText, singleLineText, trimmedPattern,
} from '../http/input/validation.ts';
import { pageParams } from '../status-pages/schema.ts';
import { languageQuery } from '../status-pages/public/languages/preferred-language.ts';
import { FREQUENCIES, STATES, TOPICS } from './subscriber.ts';

export const subscriberParams = pageParams.extend({ subscriberId: uuidParam });

const email = z.string().trim().max(254).toLowerCase().superRefine((address, issues) => {
  const problem = addressProblem(address);
  if (problem !== null) issues.addIssue({ code: 'custom', message: problem });
}).meta({ maxLength: 254, pattern: trimmedPattern(ADDRESS) });

const preferences = z.strictObject({
  critical_incidents: z.boolean().describe('Incidents whose severity is critical.'),
  all_incidents: z.boolean(),
  maintenance: z.boolean(),
  frequency: z.enum(FREQUENCIES).describe('`hourly` and `daily`: everything in one email.'),
}).partial();
export type PreferencesInput = z.infer<typeof preferences>;

const webhookUrl = z.string().min(1).max(2048)
  .describe('Receives every update immediately; must be publicly reachable.');

export const subscriptionInput = z.strictObject({ email, preferences: preferences.optional() });
export type SubscriptionInput = z.infer<typeof subscriptionInput>;

export const subscriberInput = z.strictObject({
  preferences,
  ...readOnlyFields(
    'id', 'status_page_id', 'email', 'webhook_url', 'is_verified', 'verification_expires_at', 'unsubscribed_at',
    'subscribed_at', 'verified_at',
  ),
});

/**
 * From the holder of an emailed link. Only they can set a webhook: anyone can enter someone else's address.
 */
export const ownInput = z.strictObject({
  preferences: preferences.optional(), webhook_url: webhookUrl.nullable().optional(),
  ...readOnlyFields('email', 'status_page', 'is_subscribed'),
});
export type OwnInput = z.infer<typeof ownInput>;

const filters = {
  status: z.enum([...STATES, 'all']).default('all')
    .transform((status) => (status === 'all' ? undefined : status)),
  preference: z.enum(TOPICS).optional().describe('Only subscribers with this preference.'),
  search: z.string().max(255, 'Search must be at most 255 characters').optional()
    .transform((part) => (part === '' ? undefined : part)).describe('Part of the address.'),
};

export const exportQuery = z.strictObject(filters);
export type ExportQuery = z.infer<typeof exportQuery>;

export const subscriberListQuery = z.strictObject({
  ...filters,
  sort: z.enum(['email', 'subscribed_at', 'verified_at']).default('subscribed_at'),
  order: z.enum(['asc', 'desc']).default('desc'),
  page: queryInt({ min: 1, fallback: 1 }),
  limit: queryInt({ min: 10, max: 1000, fallback: 50 }),
});
export type SubscriberListQuery = z.infer<typeof subscriberListQuery>;

const subscriberIds = z.array(uuidParam).min(1, 'Select at least one subscriber').max(10_000)
  .transform((ids) => [...new Set(ids)]);

export const bulkDeleteInput = z.strictObject({ subscriber_ids: subscriberIds });

export const bulkNotifyInput = z.strictObject({
  subscriber_ids: subscriberIds, subject: singleLineText(200), message: requiredMultilineText(5000),
});
export type BulkNotifyInput = z.infer<typeof bulkNotifyInput>;

/** Tokens of emailed links; mailers append parameters of their own. */
export const token = z.string().max(1000).default('');
export const linkQuery = z.looseObject({ token, ...languageQuery.shape });
