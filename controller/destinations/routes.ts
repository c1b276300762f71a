import { z } from 'zod';
import { idParams } from '../http/input/validation.ts';
import { defineRoute, messageResponse, type Route } from '../http/routing/route.ts';
import { deliveryView, destinationView, messagePreview, sampleResponse } from './responses.ts';
import { deliveriesQuery, destinationChangeInput, destinationInput, previewInput } from './schema.ts';
import {
  changeDestination, createDestination, deleteDestination, listDeliveries, listDestinations, ensureSecret,
  previewDestination, readDestination, rotateSecret, testDestination, type DestinationDeps,
  type DestinationWithHealth,
} from './verbs.ts';
import { viewDelivery, viewDestination } from './views.ts';

const common = { tag: 'Integrations', auth: { access: 'project', role: 'admin', keys: false } } as const;
const ofOne = { ...common, params: idParams, errors: ['RESOURCE_NOT_FOUND'] as const };
/** Only webhooks have a secret. */
const ofSecret = { ...ofOne, errors: ['RESOURCE_NOT_FOUND', 'VALIDATION_FAILED'] as const };
const integration = z.object({ integration: destinationView });
const secret = z.object({ secret: z.string() });

/** Notification destinations, for project admins with a session. */
export function destinationRoutes(deps: DestinationDeps): Route[] {
  return [
    defineRoute({
      ...common, method: 'GET', path: '/api/integrations',
      summary: 'List integrations, newest first',
      responses: { 200: z.object({ integrations: z.array(destinationView) }) },
      handle: async (ctx) => ({
        status: 200, data: { integrations: (await listDestinations(deps, ctx)).map(viewDestination) },
      }),
    }),
    defineRoute({
      ...common, method: 'POST', path: '/api/integrations', audit: 'integration.created',
      summary: 'Create an integration',
      errors: ['FAIR_USE_LIMIT_REACHED', 'RESOURCE_NOT_FOUND'],
      body: destinationInput,
      responses: { 201: integration },
      handle: async (ctx, { body }) => integrationResponse(201, await createDestination(deps, ctx, body)),
    }),
    defineRoute({
      ...common, method: 'POST', path: '/api/integrations/preview', audit: false,
      summary: 'Preview the messages of an unsaved integration',
      description: 'For an outage and for its recovery, as the type renders them. Nothing is sent. Secrets are '
        + 'shown as `***`.',
      body: previewInput,
      responses: { 200: z.object({ previews: z.array(messagePreview) }) },
      handle: async (_ctx, { body }) => ({ status: 200, data: { previews: previewDestination(deps, body) } }),
    }),
    defineRoute({
      ...ofOne, method: 'GET', path: '/api/integrations/:id',
      summary: 'Read an integration',
      responses: { 200: integration },
      handle: async (ctx, { params }) => {
        return integrationResponse(200, await readDestination(deps, ctx, params.id));
      },
    }),
    ...(['PATCH', 'PUT'] as const).map((method) => defineRoute({
      ...ofOne, method, path: '/api/integrations/:id', audit: 'integration.changed',
      summary: 'Change an integration',
      description: 'Changes only the fields in the request. `PUT` and `PATCH` behave the same.',
      body: destinationChangeInput,
      responses: { 200: integration },
      handle: async (ctx, { params, body }) =>
        integrationResponse(200, await changeDestination(deps, ctx, params.id, body)),
    })),
    defineRoute({
      ...ofOne, method: 'DELETE', path: '/api/integrations/:id', audit: 'integration.deleted',
      summary: 'Delete an integration',
      responses: { 200: messageResponse },
      handle: async (ctx, { params }) => {
        await deleteDestination(deps, ctx, params.id);
        return { status: 200, data: { message: 'Integration deleted' } };
      },
    }),
    defineRoute({
      ...ofOne, method: 'GET', path: '/api/integrations/:id/deliveries',
      summary: 'List deliveries to an integration, newest first', query: deliveriesQuery,
      responses: { 200: z.object({ deliveries: z.array(deliveryView) }) },
      handle: async (ctx, { params, query }) => {
        const found = await listDeliveries(deps, ctx, params.id, query.limit);
        return { status: 200, data: { deliveries: found.map(viewDelivery) } };
      },
    }),
    defineRoute({
      ...ofOne, method: 'POST', path: '/api/integrations/:id/test', audit: 'integration.tested',
      summary: 'Send a test alert to an integration',
      description: 'Each address receives at most three test emails an hour, no matter who sends them, and an '
        + 'organization sends at most 30. Beyond that, nothing is sent and the response is 429.',
      responses: { 200: sampleResponse },
      handle: async (ctx, { params }) => ({ status: 200, data: await testDestination(deps, ctx, params.id) }),
    }),
    defineRoute({
      ...ofSecret, method: 'GET', path: '/api/integrations/:id/secret',
      summary: 'Read the signing secret, created on the first read', audit: 'integration.secret_read',
      responses: { 200: secret },
      handle: async (ctx, { params }) => secretResponse(await ensureSecret(deps, ctx, params.id)),
    }),
    defineRoute({
      ...ofSecret, method: 'POST', path: '/api/integrations/:id/rotate-secret',
      audit: 'integration.secret_rotated', summary: 'Rotate the signing secret',
      responses: { 200: secret },
      handle: async (ctx, { params }) => secretResponse(await rotateSecret(deps, ctx, params.id)),
    }),
  ];
}

function secretResponse(shown: string) {
  return { status: 200, data: { secret: shown } } as const;
}

function integrationResponse<S extends 200 | 201>(status: S, shown: DestinationWithHealth) {
  return { status, data: { integration: viewDestination(shown) } };
}
