import { z } from 'zod';
import { idParams } from '../http/input/validation.ts';
import { created, defineRoute, messageResponse, okMessage, ok, type Route } from '../http/routing/route.ts';
import { subscriptionInput, subscriptionView } from './schema.ts';
import {
  createSubscription, deleteSubscription, listSubscriptions, readSubscription, type SubscriptionDeps,
} from './verbs.ts';

const oneSubscription = z.object({ subscription: subscriptionView });
const issuedSubscription = oneSubscription.extend({
  nats_url: z.string(), user: z.string(), seed: z.string(),
});

const description = `A credential that lets your program read, on NATS, every raw result and event of
the organization: as they come, and results also up to an hour later. Only this response contains the seed.`;

/** `natsUrl` returns the address to which subscribers connect. */
export function subscriptionRoutes(deps: SubscriptionDeps, natsUrl: () => string): Route[] {
  const path = '/api/subscriptions';
  const all = { path, tag: 'Subscriptions', auth: { access: 'account', organization: 'admin' } } as const;
  const one = { ...all, path: `${path}/:id`, params: idParams, errors: ['RESOURCE_NOT_FOUND'] } as const;
  return [
    defineRoute({
      ...all, method: 'POST', summary: 'Create a subscription to raw results', description,
      audit: 'subscription.created',
      body: subscriptionInput, errors: ['FAIR_USE_LIMIT_REACHED'], responses: { 201: issuedSubscription },
      handle: async (ctx, { body }) => {
        const { subscription, seed } = await createSubscription(deps, ctx, body);
        return created({ subscription, nats_url: natsUrl(), user: subscription.user, seed });
      },
    }),
    defineRoute({
      ...all, method: 'GET', summary: 'List subscriptions',
      responses: { 200: z.object({ subscriptions: z.array(subscriptionView) }) },
      handle: async (ctx) => ok({ subscriptions: await listSubscriptions(deps, ctx) }),
    }),
    defineRoute({
      ...one, method: 'GET', summary: 'Read a subscription', responses: { 200: oneSubscription },
      handle: async (ctx, { params }) => ok({ subscription: await readSubscription(deps, ctx, params.id) }),
    }),
    defineRoute({
      ...one, method: 'DELETE', summary: 'Delete a subscription and disconnect its subscriber immediately',
      audit: 'subscription.deleted', responses: { 200: messageResponse },
      handle: (ctx, { params }) => okMessage(deleteSubscription(deps, ctx, params.id), 'Subscription deleted'),
    }),
  ];
}
