import { z } from 'zod';
import { idParams } from '../http/params.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { destinationChangeInput, destinationInput } from './schema.ts';
import {
  changeDestination, createDestination, deleteDestination, listDestinations, openSecret, readDestination, rotateSecret, testDestination,
  type DestinationDeps, type ShownDestination,
} from './verbs.ts';
import { destinationView, showDestination } from './views.ts';

const tag = 'Integrations';
const auth = { access: 'project', role: 'admin', keys: false } as const;
const one = z.object({ integration: destinationView });
const secret = z.object({ secret: z.string() });
const missing = { errors: ['RESOURCE_NOT_FOUND'] as const, params: idParams };
/** Only webhooks have a secret. */
const signing = { errors: ['RESOURCE_NOT_FOUND', 'VALIDATION_FAILED'] as const, params: idParams };

/** Who is told: notification destinations, for project admins with a session. */
export function destinationRoutes(deps: DestinationDeps): Route[] {
  const change = (method: 'PUT' | 'PATCH') =>
    defineRoute({
      method, path: '/api/integrations/:id', audit: 'integration.changed', summary: 'Change an integration', tag, auth, ...missing,
      description: 'Changes only the fields in the request; `PUT` and `PATCH` work alike.',
      body: destinationChangeInput,
      answers: { 200: one },
      handle: async (ctx, { params, body }) => ({ status: 200, data: show(await changeDestination(deps, ctx, params.id, body)) }),
    });
  return [
    defineRoute({
      method: 'GET', path: '/api/integrations', summary: 'List integrations, newest first', tag, auth,
      answers: { 200: z.object({ integrations: z.array(destinationView) }) },
      handle: async (ctx) => {
        const all = await listDestinations(deps, ctx);
        return { status: 200, data: { integrations: all.map(({ destination, health }) => showDestination(destination, health)) } };
      },
    }),
    defineRoute({
      method: 'POST', path: '/api/integrations', audit: 'integration.created', summary: 'Create an integration', tag, auth,
      errors: ['FAIR_USE_LIMIT_REACHED'],
      body: destinationInput,
      answers: { 201: one },
      handle: async (ctx, { body }) => ({ status: 201, data: show(await createDestination(deps, ctx, body)) }),
    }),
    defineRoute({
      method: 'GET', path: '/api/integrations/:id', summary: 'Read an integration', tag, auth, ...missing,
      answers: { 200: one },
      handle: async (ctx, { params }) => ({ status: 200, data: show(await readDestination(deps, ctx, params.id)) }),
    }),
    change('PATCH'),
    change('PUT'),
    defineRoute({
      method: 'DELETE', path: '/api/integrations/:id', audit: 'integration.deleted', summary: 'Delete an integration', tag, auth, ...missing,
      answers: { 200: z.object({ message: z.string() }) },
      handle: async (ctx, { params }) => {
        await deleteDestination(deps, ctx, params.id);
        return { status: 200, data: { message: 'Integration deleted' } };
      },
    }),
    defineRoute({
      method: 'POST', path: '/api/integrations/:id/test', audit: 'integration.tested', summary: 'Send a sample to an integration', tag, auth, ...missing,
      answers: {
        200: z.object({
          delivered: z.boolean(),
          status_code: z.int().nullable(),
          error_message: z.string().nullable(),
          duration_ms: z.number().nullable(),
        }),
      },
      handle: async (ctx, { params }) => ({ status: 200, data: await testDestination(deps, ctx, params.id) }),
    }),
    defineRoute({
      method: 'GET', path: '/api/integrations/:id/secret', summary: 'Read the signing secret, created on the first read', tag, auth, ...signing,
      answers: { 200: secret },
      handle: async (ctx, { params }) => ({ status: 200, data: { secret: await openSecret(deps, ctx, params.id) } }),
    }),
    defineRoute({
      method: 'POST', path: '/api/integrations/:id/rotate-secret', summary: 'Replace the signing secret', tag, auth, ...signing,
      audit: 'integration.secret_rotated',
      answers: { 200: secret },
      handle: async (ctx, { params }) => ({ status: 200, data: { secret: await rotateSecret(deps, ctx, params.id) } }),
    }),
  ];
}

function show({ destination, health }: ShownDestination): z.input<typeof one> {
  return { integration: showDestination(destination, health) };
}
