import { z } from 'zod';
import { HTML_CONTENT } from '../../http/exchange.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { viewError, type Page } from '../../pages/layout.ts';
import type { SubscriberDeps } from '../deps.ts';
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
  tag: 'Pages', auth: { access: 'public' }, errorPage: viewError,
  params: z.strictObject({ subdomain: z.string().max(63).toLowerCase() }), answers: { 200: HTML },
} as const;
const choice = z.literal('on').optional();
const choices = {
  critical_incidents: choice, all_incidents: choice, maintenance: choice, frequency: z.enum(FREQUENCIES),
};

/**
 * The pages for visitors without JavaScript. Opening one changes nothing: mail scanners open every link.
 */
export function subscriberPageRoutes(deps: SubscriberDeps): Route[] {
  return [...beginning(deps), ...ending(deps), ...preferring(deps)];
}

function beginning(deps: SubscriberDeps): Route[] {
  return [
    defineRoute({
      ...common, path: `${path}/subscribe`, method: 'GET', ignoresQuery: true, errors: ['RESOURCE_NOT_FOUND'],
      summary: 'Page for subscribing to a status page',
      handle: async (_ctx, { params }) => shown(pages.subscribePage(await findPage(deps, params.subdomain))),
    }),
    defineRoute({
      ...common, path: `${path}/subscribe`, method: 'POST', errors: ['RESOURCE_NOT_FOUND'],
      summary: 'Submit the form of that page', bodyFormat: 'form',
      body: z.strictObject({ email: subscriptionInput.shape.email }),
      handle: async (ctx, { params, body }) => {
        return shown(pages.askedPage(await subscribe(deps, ctx, params.subdomain, body)));
      },
    }),
    defineRoute({
      ...common, path: `${path}/verify`, method: 'GET', query: linkQuery,
      summary: 'Page that confirms a subscription',
      handle: async (_ctx, { query }) => shown(pages.confirmPage(query.token)),
    }),
    defineRoute({
      ...common, path: `${path}/verify`, method: 'POST', summary: 'Submit the form of that page',
      bodyFormat: 'form', body: z.strictObject({ token }), audit: 'subscriber.verified',
      handle: async (ctx, { body }) => {
        const found = await confirmSubscription(deps, body.token, ctx.now);
        const link = deps.links.tokenOf(found.subscriber._id);
        return { audit: ownAudit(found), ...shown(pages.confirmedPage(found, link)) };
      },
    }),
  ];
}

/** Bodies are ignored, since mail programs post a form of their own (RFC 8058), multipart or urlencoded. */
function ending(deps: SubscriberDeps): Route[] {
  const page = { ...common, path: `${path}/unsubscribe`, query: linkQuery } as const;
  return [
    defineRoute({
      ...page, method: 'GET', summary: 'Page for unsubscribing',
      handle: async (_ctx, { query: { token: link } }) => {
        return shown(pages.endPage(link, await readSubscription(deps, link)));
      },
    }),
    defineRoute({
      ...page, method: 'POST', summary: 'Unsubscribe', audit: 'subscriber.unsubscribed',
      description: 'The button of that page, and the one-click request of mail programs (RFC 8058).',
      handle: async (ctx, { query: { token: link } }) => {
        const found = await endSubscription(deps, link, ctx.now);
        return { audit: ownAudit(found), ...shown(pages.endPage(link, found)) };
      },
    }),
  ];
}

function preferring(deps: SubscriberDeps): Route[] {
  return [
    defineRoute({
      ...common, path: `${path}/preferences`, method: 'GET', query: linkQuery,
      summary: 'Page for choosing what a subscriber receives',
      handle: async (_ctx, { query: { token: link } }) => {
        return shown(pages.preferencesPage(link, await readSubscription(deps, link), false));
      },
    }),
    defineRoute({
      ...common, path: `${path}/preferences`, method: 'POST', summary: 'Submit the form of that page',
      bodyFormat: 'form', body: z.strictObject({ token, ...choices }), audit: 'subscriber.updated',
      handle: async (_ctx, { body: { token: link, frequency, ...topics } }) => {
        const [critical_incidents, all_incidents, maintenance] = TOPICS.map((topic) => topics[topic] === 'on');
        const found = await changePreferences(
          deps, link, { critical_incidents, all_incidents, maintenance, frequency },
        );
        return { audit: ownAudit(found), ...shown(pages.preferencesPage(link, found, true)) };
      },
    }),
  ];
}

function shown({ html, headers }: Page) {
  return { status: 200 as const, raw: html, headers };
}
