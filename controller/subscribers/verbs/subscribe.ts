import { hashSecret, newId, newSecret } from '../../../shared/ids.ts';
import { mailboxOf } from '../../destinations/email-rules.ts';
import { notFound } from '../../errors/app-error.ts';
import type { Mail } from '../../platform/mail/mailer-port.ts';
import type { PageDoc } from '../../status-pages/page.ts';
import type { Language } from '../../status-pages/public/languages/language.ts';
import type { SubscriberDeps } from '../deps.ts';
import { subscriberLocale } from '../languages/subscriber-locale.ts';
import { confirmationMail, alreadySubscribedMail } from '../messages.ts';
import type { SubscriptionInput } from '../schema.ts';
import {
  DEFAULT_PREFERENCES, MAX_SUBSCRIBERS, VERIFICATION_TTL_MS, type SubscriberDoc,
} from '../subscriber.ts';

interface Visitor {
  now: number;
  /** Language of the mails; null: unknown. */
  language: Language | null;
}

/** Throws RESOURCE_NOT_FOUND unless the page is published. */
export async function findPage({ pages }: Pick<SubscriberDeps, 'pages'>, subdomain: string): Promise<PageDoc> {
  const page = await pages.findPublished(subdomain);
  if (page === null) throw notFound('Status page');
  return page;
}

/**
 * Accepts a subscription, which is valid once the emailed link is confirmed. The rest happens after the
 * response, which doesn't reveal who is subscribed. Throws RESOURCE_NOT_FOUND unless the page is published.
 */
export async function subscribe(
  deps: SubscriberDeps, visitor: Visitor, subdomain: string, input: SubscriptionInput,
): Promise<PageDoc> {
  const page = await findPage(deps, subdomain);
  deps.post(input.email, () => prepareMail(deps, page, input, visitor));
  return page;
}

/** The mail that the subscription requires; null if the address got one within the last hour. */
async function prepareMail(
  deps: SubscriberDeps, page: PageDoc, input: SubscriptionInput, { now, language }: Visitor,
): Promise<Mail | null> {
  const { subscribers, rateLimits, links } = deps;
  const { email } = input;
  // Across all pages, so that nobody can be flooded through us.
  if (await rateLimits.take([{ key: `mail to ${mailboxOf(email)}`, max: 1 }], now) !== null) return null;
  const locale = subscriberLocale(language ?? 'en');
  const seen = await subscribers.findByEmail(page._id, email);
  if (seen?.state === 'verified') {
    const link = links.preferences(page.subdomain, { _id: seen._id, language });
    return alreadySubscribedMail(email, page, link, locale);
  }
  const token = newSecret();
  if (!(await saveSubscription(deps, page, seen, { token, input, now, language }))) return null;
  const link = links.verify(page.subdomain, token, language);
  return confirmationMail(email, page, link, locale);
}

/** False if they have just confirmed, or if the page is full. */
async function saveSubscription(
  { subscribers }: SubscriberDeps, page: PageDoc, seen: SubscriberDoc | null,
  { token, input, now, language }: Visitor & { token: string; input: SubscriptionInput },
): Promise<boolean> {
  const subscription = {
    webhook_url: null, language,
    preferences: { ...DEFAULT_PREFERENCES, ...input.preferences },
    verify_hash: hashSecret(token), verification_expires_at: now + VERIFICATION_TTL_MS, subscribed_at: now,
  };
  if (seen !== null) return subscribers.resubscribe(seen._id, subscription);
  if ((await subscribers.countOf(page._id)) >= MAX_SUBSCRIBERS) return false;
  const { organization_id, project_id, _id: page_id } = page;
  return subscribers.insertIfFree({
    _id: newId(now), organization_id, project_id, page_id, email: input.email, state: 'unverified',
    verified_at: null, unsubscribed_at: null, ...subscription,
  });
}
