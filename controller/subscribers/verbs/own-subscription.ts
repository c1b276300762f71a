import { hashSecret } from '../../../shared/ids.ts';
import { fieldError } from '../../http/validation.ts';
import type { PageDoc } from '../../status-pages/page.ts';
import type { SubscriberDeps } from '../deps.ts';
import type { PreferencesInput } from '../schema.ts';
import type { SubscriberDoc } from '../subscriber.ts';

export interface OwnSubscription {
  subscriber: SubscriberDoc;
  page: PageDoc;
}

type OwnDeps = Pick<SubscriberDeps, 'pages' | 'subscribers' | 'links'>;

/** Confirms a subscription; a repetition changes nothing. Throws VALIDATION_ERROR for a link not of ours. */
export async function confirmSubscription(
  deps: OwnDeps, token: string, now: number,
): Promise<OwnSubscription> {
  return withPage(deps, await deps.subscribers.verify(hashSecret(token), now));
}

/** The webhook that confirming would also turn on; null for none, and for a token that is not valid. */
export async function readAskedWebhook(
  { subscribers }: Pick<OwnDeps, 'subscribers'>, token: string, now: number,
): Promise<string | null> {
  return (await subscribers.findAsked(hashSecret(token), now))?.webhook_url ?? null;
}

/** Throws VALIDATION_ERROR for a link not of ours, or of a subscription that was deleted. */
export async function readSubscription(deps: OwnDeps, token: string): Promise<OwnSubscription> {
  const id = deps.links.read(token);
  return withPage(deps, id === null ? null : await deps.subscribers.find(id));
}

/** No mail follows; a repetition changes nothing. Throws as `readSubscription`. */
export async function endSubscription(deps: OwnDeps, token: string, now: number): Promise<OwnSubscription> {
  const { subscriber, page } = await readSubscription(deps, token);
  return { page, subscriber: (await deps.subscribers.unsubscribe(subscriber._id, now)) ?? subscriber };
}

/** Changes only the given preferences. Throws as `readSubscription`. */
export async function changePreferences(
  deps: OwnDeps, token: string, preferences: PreferencesInput,
): Promise<OwnSubscription> {
  const { subscriber, page } = await readSubscription(deps, token);
  const { _id, preferences: seen } = subscriber;
  const changed = await deps.subscribers.prefer(_id, { ...seen, ...preferences });
  return { page, subscriber: changed ?? subscriber };
}

/** Whether the page is published or not: who has subscribed must be able to leave. */
async function withPage({ pages }: OwnDeps, subscriber: SubscriberDoc | null): Promise<OwnSubscription> {
  const page =
    subscriber && (await pages.findOfOrganization(subscriber.organization_id, subscriber.page_id));
  if (subscriber !== null && page !== null) return { subscriber, page };
  throw fieldError('token', 'This link is not valid: it is incomplete, was used or is too old');
}
