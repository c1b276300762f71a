import { z } from 'zod';
import { defineRoute, messageResponse, ok, type Route } from '../../http/routing/route.ts';
import { acceptedLanguage } from '../../status-pages/public/languages/preferred-language.ts';
import { ownSubscriptionResponse } from '../responses.ts';
import type { SubscriberDeps } from '../deps.ts';
import { linkQuery, ownInput, subscriptionInput, token } from '../schema.ts';
import {
  changePreferences, confirmSubscription, endSubscription, readSubscription, type OwnSubscription,
} from '../verbs/own-subscription.ts';
import { subscribe } from '../verbs/subscribe.ts';

const common = { tag: 'Public status pages', auth: { access: 'public' } } as const;
const own = { ...common, path: '/api/public/subscribers/preferences', query: linkQuery } as const;

/** For visitors of status pages; the token in a mail proves that an address is theirs. */
export function publicSubscriberRoutes(deps: SubscriberDeps): Route[] {
  return [
    defineRoute({
      ...common, path: '/api/public/status-pages/:subdomain/subscribers', method: 'POST',
      summary: 'Subscribe to a published status page', errors: ['RESOURCE_NOT_FOUND'],
      description: 'Sends an email with a confirmation link, at most one per address and hour. The response is '
        + 'the same for every address. Emails are in the first supported language of `Accept-Language`.',
      params: z.strictObject({ subdomain: z.string().max(63).toLowerCase() }), body: subscriptionInput,
      responses: { 202: messageResponse },
      handle: async (ctx, { params, body }) => {
        const language = acceptedLanguage(ctx.languages);
        await subscribe(deps, { now: ctx.now, language }, params.subdomain, body);
        const message = 'Confirm your subscription with the link in the email that we send you';
        return { status: 202 as const, data: { message } };
      },
    }),
    defineRoute({
      ...common, path: '/api/public/subscribers/verify', method: 'POST', summary: 'Confirm a subscription',
      audit: 'subscriber.verified', body: z.strictObject({ token }), responses: { 200: messageResponse },
      handle: async (ctx, { body }) => {
        const found = await confirmSubscription(deps, body.token, ctx.now);
        return { ...ok({ message: 'Your subscription is confirmed' }), audit: ownAudit(found) };
      },
    }),
    defineRoute({
      ...common, path: '/api/public/subscribers/unsubscribe', method: 'POST', summary: 'Unsubscribe',
      description: 'The token is in the body or, for one-click requests from email programs (RFC 8058), in the query.',
      audit: 'subscriber.unsubscribed', bodyFormat: 'json-or-form', query: linkQuery,
      body: z.looseObject({ token }), responses: { 200: messageResponse },
      handle: async (ctx, { body, query }) => {
        const found = await endSubscription(deps, body.token === '' ? query.token : body.token, ctx.now);
        return { ...ok({ message: 'You have been unsubscribed' }), audit: ownAudit(found) };
      },
    }),
    defineRoute({
      ...own, method: 'GET', summary: 'Read your subscription', responses: { 200: ownSubscriptionResponse },
      handle: async (_ctx, { query }) => ok(viewOwn(await readSubscription(deps, query.token))),
    }),
    ...(['PUT', 'PATCH'] as const).map((method) => defineRoute({
      ...own, method, summary: 'Change your notification preferences and webhook', audit: 'subscriber.updated',
      body: ownInput, responses: { 200: ownSubscriptionResponse },
      handle: async (_ctx, { query, body }) => {
        const found = await changePreferences(deps, query.token, body);
        return { ...ok(viewOwn(found)), audit: ownAudit(found) };
      },
    })),
  ];
}

/** The audit log names the page's organization but no address, because entries outlive the subscription. */
export function ownAudit({ subscriber }: OwnSubscription) {
  const actor = { type: 'none', id: subscriber._id, name: 'a subscriber' } as const;
  return { actor, organizationId: subscriber.organization_id };
}

function viewOwn({ subscriber, page }: OwnSubscription) {
  const { email, state, preferences, webhook_url } = subscriber;
  const { name, subdomain } = page;
  return { email, status_page: { name, subdomain }, is_subscribed: state === 'verified', preferences, webhook_url };
}
