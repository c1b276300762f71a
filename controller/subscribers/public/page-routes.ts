import { z } from 'zod';
import { HTML_CONTENT } from '../../http/routing/exchange.ts';
import { defineRoute, type PublicContext, type Route } from '../../http/routing/route.ts';
import type { Page } from '../../pages/layout.ts';
import { viewPageError } from '../../status-pages/public/html/error-html.ts';
import { acceptedLanguage, languageOf, languageQuery } from '../../status-pages/public/languages/preferred-language.ts';
import type { SubscriberDeps } from '../deps.ts';
import { subscriberLocale } from '../languages/subscriber-locale.ts';
import { linkQuery, subscriptionInput, token } from '../schema.ts';
import { FREQUENCIES, TOPICS } from '../subscriber.ts';
import {
  changePreferences, confirmSubscription, endSubscription, readSubscription,
} from '../verbs/own-subscription.ts';
import { findPage, subscribe } from '../verbs/subscribe.ts';
import * as pages from './pages.ts';
import { ownAudit } from './public-routes.ts';

const HTML = { contentType: HTML_CONTENT };
const path = '/status/:subdomain';
const common = {
  tag: 'Pages', auth: { access: 'public' }, errorPage: viewPageError,
  params: z.strictObject({ subdomain: z.string().max(63).toLowerCase() }), responses: { 200: HTML },
} as const;
const choice = z.literal('on').optional();
/** HTML forms send an empty field for no value. */
const webhookField = z.string().max(2048).trim().optional().transform((url) => (url === '' ? null : url));
const choices = {
  critical_incidents: choice, all_incidents: choice, maintenance: choice, frequency: z.enum(FREQUENCIES),
};

/** The pages for visitors without JavaScript. Opening one changes nothing: mail scanners open every link. */
export function subscriberPageRoutes(deps: SubscriberDeps): Route[] {
  return [...subscribeRoutes(deps), ...unsubscribeRoutes(deps), ...preferenceRoutes(deps)];
}

function subscribeRoutes(deps: SubscriberDeps): Route[] {
  return [
    defineRoute({
      ...common, path: `${path}/subscribe`, method: 'GET', query: languageQuery, ignoresQuery: true,
      errors: ['RESOURCE_NOT_FOUND'],
      summary: 'Page for subscribing to a status page',
      handle: async (ctx, { params, query }) => {
        const page = await findPage(deps, params.subdomain);
        return htmlResponse(pages.subscribePage(page, localeOf(ctx, query)));
      },
    }),
    defineRoute({
      ...common, path: `${path}/subscribe`, method: 'POST', query: languageQuery, errors: ['RESOURCE_NOT_FOUND'],
      summary: 'Submit the form of that page', bodyFormat: 'form',
      body: z.strictObject({ email: subscriptionInput.shape.email }),
      handle: async (ctx, { params, query, body }) => {
        const locale = localeOf(ctx, query);
        const language = query.lang ?? acceptedLanguage(ctx.languages);
        const page = await subscribe(deps, { now: ctx.now, language }, params.subdomain, body);
        return htmlResponse(pages.confirmationSentPage(page, locale));
      },
    }),
    defineRoute({
      ...common, path: `${path}/verify`, method: 'GET', query: linkQuery,
      summary: 'Page that confirms a subscription',
      handle: async (ctx, { query }) => htmlResponse(pages.confirmPage(query.token, localeOf(ctx, query))),
    }),
    defineRoute({
      ...common, path: `${path}/verify`, method: 'POST', query: languageQuery, summary: 'Submit the form of that page',
      bodyFormat: 'form', body: z.strictObject({ token }), audit: 'subscriber.verified',
      handle: async (ctx, { query, body }) => {
        const found = await confirmSubscription(deps, body.token, ctx.now);
        const link = deps.links.tokenOf(found.subscriber._id);
        const confirmed = pages.confirmedPage(found, link, localeOf(ctx, query));
        return { audit: ownAudit(found), ...htmlResponse(confirmed) };
      },
    }),
  ];
}

/** Bodies are ignored, because mail programs post their own (RFC 8058), multipart or urlencoded. */
function unsubscribeRoutes(deps: SubscriberDeps): Route[] {
  const page = { ...common, path: `${path}/unsubscribe`, query: linkQuery } as const;
  return [
    defineRoute({
      ...page, method: 'GET', summary: 'Page for unsubscribing',
      handle: async (ctx, { query }) => {
        const found = await readSubscription(deps, query.token);
        return htmlResponse(pages.unsubscribePage(query.token, found, localeOf(ctx, query)));
      },
    }),
    defineRoute({
      ...page, method: 'POST', summary: 'Unsubscribe', audit: 'subscriber.unsubscribed',
      description: 'Used by the button on that page and by one-click requests from email programs (RFC 8058).',
      handle: async (ctx, { query }) => {
        const found = await endSubscription(deps, query.token, ctx.now);
        const unsubscribed = pages.unsubscribePage(query.token, found, localeOf(ctx, query));
        return { audit: ownAudit(found), ...htmlResponse(unsubscribed) };
      },
    }),
  ];
}

function preferenceRoutes(deps: SubscriberDeps): Route[] {
  return [
    defineRoute({
      ...common, path: `${path}/preferences`, method: 'GET', query: linkQuery,
      summary: 'Page for notification preferences',
      handle: async (ctx, { query }) => {
        const found = await readSubscription(deps, query.token);
        return htmlResponse(pages.preferencesPage(query.token, found, false, localeOf(ctx, query)));
      },
    }),
    defineRoute({
      ...common, path: `${path}/preferences`, method: 'POST', query: languageQuery, summary: 'Submit the form of that page',
      bodyFormat: 'form', body: z.strictObject({ token, webhook_url: webhookField, ...choices }), audit: 'subscriber.updated',
      handle: async (ctx, { query, body: { token: link, webhook_url, frequency, ...topics } }) => {
        const [critical_incidents, all_incidents, maintenance] = TOPICS.map((topic) => topics[topic] === 'on');
        const preferences = { critical_incidents, all_incidents, maintenance, frequency };
        const found = await changePreferences(deps, link, { preferences, webhook_url });
        const locale = localeOf(ctx, query);
        return { audit: ownAudit(found), ...htmlResponse(pages.preferencesPage(link, found, true, locale)) };
      },
    }),
  ];
}

function htmlResponse({ html, headers }: Page) {
  return { status: 200 as const, raw: html, headers };
}

function localeOf(ctx: PublicContext, query: Parameters<typeof languageOf>[1]) {
  return subscriberLocale(languageOf(ctx, query));
}
