import { hashSecret } from '../../../shared/ids.ts';
import { fieldError } from '../../http/input/validation.ts';
import type { PageDoc } from '../../status-pages/page.ts';
import type { SubscriberDeps } from '../deps.ts';
import type { OwnInput } from '../schema.ts';
import type { SubscriberDoc } from '../subscriber.ts';

export interface OwnSubscription {
  subscriber: SubscriberDoc;
  page: PageDoc;
}

type OwnDeps = Pick<SubscriberDeps, 'pages' | 'subscribers' | 'links'>;

/** Confirms a subscription; a repetition changes nothing. Throws VALIDATION_ERROR for an invalid link. */
export async function confirmSubscription(
  deps: OwnDeps, token: string, now: number,
): Promise<OwnSubscription> {
  return withPage(deps, await deps.subscribers.verify(hashSecret(token), now));
}

/** Throws VALIDATION_ERROR for an invalid link, or if the subscription was deleted. */
export async function readSubscription(deps: OwnDeps, token: string): Promise<OwnSubscription> {
  const id = deps.links.read(token);
  return withPage(deps, id === null ? null : await deps.subscribers.find(id));
}

/** Sends no mail; a repetition changes nothing. Throws as `readSubscription`. */
export async function endSubscription(deps: OwnDeps, token: string, now: number): Promise<OwnSubscription> {
  const { subscriber, page } = await readSubscription(deps, token);
  return { page, subscriber: (await deps.subscribers.unsubscribe(subscriber._id, now)) ?? subscriber };
}

/**
 * Changes only the given fields. Throws as `readSubscription`, and VALIDATION_ERROR for a webhook at a
 * private address.
 */
export async function changePreferences(
  deps: OwnDeps & Pick<SubscriberDeps, 'vetting'>, token: string, input: OwnInput,
): Promise<OwnSubscription> {
  const { subscriber, page } = await readSubscription(deps, token);
  const { webhook_url = subscriber.webhook_url } = input;
  const isNew = webhook_url !== null && webhook_url !== subscriber.webhook_url;
  const caller = `subscribers:${page.organization_id}`;
  const refusal = isNew ? await deps.vetting.urlRefusal(webhook_url, caller) : null;
  if (refusal !== null) throw fieldError('webhook_url', refusal);
  const preferences = { ...subscriber.preferences, ...input.preferences };
  const changed = await deps.subscribers.changePreferences(subscriber._id, { preferences, webhook_url });
  return { page, subscriber: changed ?? subscriber };
}

/** Works for unpublished pages, too: subscribers must always be able to unsubscribe. */
async function withPage({ pages }: OwnDeps, subscriber: SubscriberDoc | null): Promise<OwnSubscription> {
  const page =
    subscriber && (await pages.findOfOrganization(subscriber.organization_id, subscriber.page_id));
  if (subscriber !== null && page !== null) return { subscriber, page };
  throw fieldError('token', 'This link is not valid: it is incomplete, already used or expired');
}
