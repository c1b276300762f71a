import { Readable } from 'node:stream';
import { defineRoute, messageResponse, okMessage, ok, type Route } from '../http/routing/route.ts';
import { pageParams } from '../status-pages/schema.ts';
import * as responses from './responses.ts';
import type { SubscriberDeps } from './deps.ts';
import * as schema from './schema.ts';
import {
  changeSubscriber, deleteSubscriber, deleteSubscribers, exportSubscribers, listSubscribers, readSubscriber,
} from './verbs/manage.ts';
import { notifySubscribers } from './verbs/notify.ts';
import { viewSubscriber } from './views.ts';

const path = '/api/projects/:projectId/status-pages/:id/subscribers';
const errors = ['RESOURCE_NOT_FOUND', 'ACCESS_DENIED'] as const;
const all = { path, params: pageParams, tag: 'Status page subscribers', errors } as const;
const one = { ...all, path: `${path}/:subscriberId`, params: schema.subscriberParams } as const;
const viewer = { access: 'path-project', role: 'viewer' } as const;
const CONCEALED = 'Viewers and read keys see addresses shortened (`v…@example.com`) and `***` as `webhook_url`. Their '
  + '`search` finds whole addresses and beginnings of domains, and `sort=email` sorts by `subscribed_at`.';
const admin = { access: 'path-project', role: 'admin' } as const;

/** Management of a status page's subscribers by project admins. */
export function subscriberRoutes(deps: SubscriberDeps): Route[] {
  return [...readRoutes(deps), ...writeRoutes(deps)];
}

function readRoutes(deps: SubscriberDeps): Route[] {
  return [
    defineRoute({
      ...all, auth: viewer, method: 'GET', summary: 'List the subscribers of a status page', description: CONCEALED,
      query: schema.subscriberListQuery, responses: { 200: responses.subscriberListResponse },
      handle: async (ctx, { params, query }) => {
        const { subscribers, pagination } = await listSubscribers(deps, ctx, params.id, query);
        return ok({ subscribers: subscribers.map((one) => viewSubscriber(one, ctx.role)), pagination });
      },
    }),
    defineRoute({
      ...one, auth: viewer, method: 'GET', summary: 'Read a subscriber of a status page',
      description: CONCEALED, responses: { 200: responses.subscriberReadResponse },
      handle: async (ctx, { params }) => {
        const subscriber = await readSubscriber(deps, ctx, params.id, params.subscriberId);
        return ok({ subscriber: viewSubscriber(subscriber, ctx.role) });
      },
    }),
    defineRoute({
      ...all, path: `${path}/export`, auth: admin, method: 'GET',
      summary: 'Export the subscribers of a status page as CSV, by address', audit: 'subscribers.exported',
      query: schema.exportQuery,
      description: 'At most 10,000. Cells that a spreadsheet would treat as a formula start with an apostrophe.',
      responses: { 200: responses.CSV },
      handle: async (ctx, { params, query }) => ({
        status: 200 as const, raw: Readable.from(await exportSubscribers(deps, ctx, params.id, query)),
        headers: { 'Content-Disposition': 'attachment; filename="subscribers.csv"' },
      }),
    }),
  ];
}

function writeRoutes(deps: SubscriberDeps): Route[] {
  return [
    ...(['PUT', 'PATCH'] as const).map((method) => defineRoute({
      ...one, auth: admin, method, summary: 'Change the preferences of a subscriber',
      description: 'Changes only the fields in the request.', audit: 'subscriber.updated',
      body: schema.subscriberInput, responses: { 200: responses.subscriberResponse },
      handle: async (ctx, { params, body }) => {
        const changed = await changeSubscriber(deps, ctx, params.id, params.subscriberId, body.preferences);
        return ok({ subscriber: viewSubscriber(changed, ctx.role), message: 'Subscriber updated successfully' });
      },
    })),
    defineRoute({
      ...one, auth: admin, method: 'DELETE', summary: 'Delete a subscriber', audit: 'subscriber.deleted',
      responses: { 200: messageResponse },
      handle: (ctx, { params }) => {
        return okMessage(deleteSubscriber(deps, ctx, params.id, params.subscriberId), 'Subscriber deleted successfully');
      },
    }),
    defineRoute({
      ...all, path: `${path}/bulk-delete`, auth: admin, method: 'POST', summary: 'Delete subscribers',
      audit: 'subscribers.deleted', body: schema.bulkDeleteInput, responses: { 200: responses.bulkResponse },
      handle: async (ctx, { params, body: { subscriber_ids: ids } }) => {
        const result = await deleteSubscribers(deps, ctx, params.id, ids);
        return ok({ result, message: `Successfully deleted ${result.success_count} of ${ids.length} subscribers` });
      },
    }),
    defineRoute({
      ...all, path: `${path}/bulk-notify`, auth: admin, method: 'POST', summary: 'Send a message to subscribers',
      description: 'Only subscribers who have confirmed and not unsubscribed receive it; the others count as failed. A '
        + 'page sends at most 20 messages an hour.',
      audit: 'subscribers.notified', body: schema.bulkNotifyInput, responses: { 200: responses.bulkResponse },
      handle: async (ctx, { params, body }) => {
        const result = await notifySubscribers(deps, ctx, params.id, body);
        const count = body.subscriber_ids.length;
        return ok({ result, message: `Successfully notified ${result.success_count} of ${count} subscribers` });
      },
    }),
  ];
}
